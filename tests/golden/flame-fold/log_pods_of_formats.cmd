# Text of formats other than dumps in the lines of two pods, interleaved:
# each pod's samples have its label.
pod() {
	sed "s|^|[pod/job-exec-$1/spark] |"
}
perf='app   500 [001]  100.000100:    1001001 cpu-clock: 
	          401793 leaf+0x13 (/opt/app)
	          4017f9 main+0x19 (/opt/app)
'
echo "$perf" | pod 1 >one
echo "$perf" | sed s/leaf/other/ | pod 2 >two
paste -d '\n' one two | flame-fold --by pod
printf 'main;work 5\nmain;read 7\n' | pod 1 >one
printf 'main;work 1\nmain;wait 2\n' | pod 2 >two
paste -d '\n' one two | flame-fold --by pod,container
