# A sample whose stack is not whole is left out: a text that ends in the blanks
# before an address, or with a header; --partial fail refuses both.
one() {
	printf 'app   500 [001]  100.0001%s:    1001001 cpu-clock: \n' "$1"
}
stack='	          401793 leaf+0x13 (/opt/app)
	          4017f9 main+0x19 (/opt/app)'
{ one 00; echo "$stack"; echo; one 01; printf '\t          401793 leaf+0x13 (/opt/app)\n\t      '; } >blanks
{ one 00; echo "$stack"; echo; one 01; } >header
one 00 >alone
for f in blanks header alone; do
	flame-fold $f
	flame-fold --partial fail $f >/dev/null 2>&1; echo "$? $f"
done
# Records without stacks are whole: perf pads their names.
printf '             app   500 [001]  100.000100:    1001001 cpu-clock: \n' | flame-fold
