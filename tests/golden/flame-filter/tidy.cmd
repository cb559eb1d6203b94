cat >in <<'END'
app//demo.W$$Lambda$88+0x00007f8177090218/360062456.run(Unknown Source);a.B.c(B.java:12) 1
app//demo.W$$Lambda/0x00007f8177090219.run(Unknown Source);a.B.c(B.java:15) 2
[pool-1-thread-12 tid=4711];_$LT$T$u20$as$u20$a..B$GT$::f::h0123456789abcdef 4
[pool-2-thread-3 tid=4712];<T as a::B>::f 8
std::map<int, std::less<int> >::at(int const&) const [clone .cold];f (a.py:12) 16
std::map<char>::at(char const&) const;f (a.py:13) 32
main.main.func1.2;main.F[go.shape.int_0];0x7f00 64
main.main.func3;main.F[...];0x7f01 128
END
for name in java-modules java-lambdas java-lines rust-hashes gcc-clones \
	cxx-arguments cxx-templates go python-lines numbers-in-thread-names \
	addresses
do
	echo "# $name"
	flame-filter --raw-names --tidy $name in | sort >out
	sort in | comm -13 - out
done
echo '# all'
flame-filter --raw-names --tidy java-modules,java-lambdas,java-lines,rust-hashes \
	--tidy gcc-clones,cxx-arguments,cxx-templates,go,python-lines \
	--tidy numbers-in-thread-names,addresses in
