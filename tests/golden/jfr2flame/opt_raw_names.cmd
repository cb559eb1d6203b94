# Of two JVMs: one class each, or as they are; --compat is as they are.
{
	echo 'x/Main.run_[j];x/Main$$Lambda$9.0x00007f8177090218.apply_[j] 1'
	echo 'x/Main.run_[j];x/Main$$Lambda$12.0x00007f902c1a3e08.apply_[j] 2'
	echo 'x/Main.run_[j];jdk/proxy2/$Proxy14.get_[1] 4'
	echo 'x/Main.run_[j];jdk/proxy1/$Proxy9.get_[1] 8'
} >in.folded
jfr2flame --collapsed in.folded
echo
jfr2flame --raw-names --collapsed in.folded
echo
jfr2flame --compat jfrconv --collapsed in.folded
