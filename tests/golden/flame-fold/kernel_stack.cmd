for name in proc proc-3 sysrq sysrq-3; do
	flame-fold --empty ok --by thread,state $DATA/kernel-stack/$name.txt 2>&1 ||
		flame-fold $DATA/kernel-stack/$name.txt 2>&1
done
# Frames that are not guesses, and frames that were read.
cat $DATA/kernel-stack/*.txt | grep '+0x.*/0x' | grep -v ' ? \|WARNING' | wc -l
for name in proc proc-3 sysrq sysrq-3; do
	flame-fold $DATA/kernel-stack/$name.txt
done | awk -F';' '{ split($NF, w, " "); n += NF * w[2] } END { print n }'
head -c 300 $DATA/kernel-stack/sysrq.txt | flame-fold 2>&1 || echo $?
