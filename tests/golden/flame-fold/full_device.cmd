for option in --help --version '--event list' --info ''
do
	echo 'a;b 1' | flame-fold $option 2>&1 >/dev/full
	echo $?
done
