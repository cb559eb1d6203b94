# Names of C++ and Rust, of all readers.
mangled=_RNvC7mycrate3foo
printf '%s;__RNvC7mycrate3bar_[k] 2\n' $mangled >in.folded
printf 'app 7 1.0: 1 cycles:\n\t1 %s+0x1 (/bin/app)\n\n' $mangled >perf.txt
printf '@[\n    %s+1\n    main+2\n, app]: 3\n' $mangled >bpf.txt
for input in in.folded perf.txt bpf.txt
do
	jfr2flame --collapsed $input
	jfr2flame --collapsed --no-demangle $input
done
flame-fold -f pprof -o in.pb --no-demangle in.folded && flame-fold in.pb
jfr2flame --compat jfrconv --collapsed in.folded
flame-fold --compat perl perf.txt
# Those of Swift are reported.
printf '$s4main3fooyyF;_$s4main3baryyF;$scope 1\n' | flame-fold 2>&1
printf '$s4main3fooyyF 1\n' | flame-fold --no-demangle 2>&1
