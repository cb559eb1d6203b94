# perf script with a column more, in each of two samples: the stacks are the
# same as without it, and nothing else is said.
stack='	    55d0c0de1100 inner+0x8 (/opt/lib/liba.so)
	    55d0c0de2200 outer+0x44 (/opt/bin/svc)'
fold() { echo "$1:"; flame-fold --event list - <column | tail -n +2 | awk '{ print $1, $2 }'; flame-fold column; }
# before WORDS: between the CPU and the time.
before() {
	for t in 7.5 8.5; do printf 'svc   77 [011] %s %s00001:     250000 cpu-clock:u: \n%s\n\n' "$1" $t "$stack"; done >column
}
# after WORDS: in the line that ends a sample.
after() {
	for t in 7.5 8.5; do printf 'svc   77 [011] %s00001:     250000 cpu-clock:u: \n%s\n%s\n' $t "$stack" "$1"; done >column
}
# first WORDS: in front of the name.
first() {
	for t in 7.5 8.5; do printf '%ssvc   77 [011] %s00001:     250000 cpu-clock:u: \n%s\n\n' "$1" $t "$stack"; done >column
}
before '2025-12-31 23:59:59.999999  '; fold +tod
after '       7ffee0000'; fold +phys_addr
after '       7ffee0000 2M'; fold +data_page_size
after ' ilen: 7 insn: 0f 1f 80 00 00 00 00'; fold +insn,+insnlen
after ' inner+0x2/outer+0x9/P/-/-/1/CALL/-  outer+0x1/inner+0x0/M/-/-/7/RET/-  '; fold +brstacksym
after ' /system.slice/svc.service'; fold +cgroup
first 'VM:    9 VCPU:012 '; fold +machine_pid,+vcpu
before ''; sed 's/\[011\]/[-01]/' column >cpu && mv cpu column; fold 'cpu -1'
{ printf '\357\273\277'; cat column; } >bom && mv bom column; fold 'a mark'
{ printf '[ perf record: Woken up 3 times to write data ]\n[ perf record: Captured and wrote 0.2 MB perf.data (2 samples) ]\n'
	sed 1s/^...// column; } >noise && mv noise column; fold 'messages'
for n in 5 60123 4; do printf '%5d \n\t55d0c0de1100 inner\n\t55d0c0de2200 outer\n\n' $n; done >column; fold 'pid,ip,sym'
for c in /a.slice /b.slice /a.slice; do printf 'svc     77 \n\t    55d0c0de1100 inner\n\t    55d0c0de2200 outer\n %s\n' $c; done >column; fold 'comm,tid,ip,sym,cgroup'
