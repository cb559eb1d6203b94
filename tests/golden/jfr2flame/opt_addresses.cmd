# Where programs and the kernel's symbols are looked for.
mkdir root
printf 'ffffffff81000000 T _stext\n' > kallsyms
for option in '--symfs root' '--symfs=root' '--kallsyms kallsyms' \
	'--symfs nowhere' '--kallsyms nowhere'
do
	jfr2flame $option --event space -f folded $DATA/pprof-text/growth.txt -
	echo $?
done
