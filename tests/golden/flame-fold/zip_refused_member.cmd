# A file of a zip that is encrypted, or packed in another way, is damage of that
# file: others are read.
entry() {	# FLAGS METHOD NAME
	printf "PK\003\004\024\0\\$1\0\\$2\0\0\0\0\0\017\143\161\053\006\0\0\0\006\0\0\0\010\0\0\0$3"
	echo 'a;b 1'
}
{
	entry 0 0 a.folded
	entry 1 0 b.folded
	entry 0 14 c.folded
	entry 0 0 d.folded
	printf 'PK\005\006\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
} >x.zip
cat x.zip | flame-fold 2>&1
echo "status $?"
cat x.zip | flame-fold --partial ok 2>&1
echo "status $?"
