flame-fold $DATA/tachyon/page.html 2>&1
flame-fold $DATA/tachyon/one.json
# The strings come after the tree.
head -c 700 $DATA/tachyon/page.html | flame-fold 2>&1 || echo $?
sed 's/"strings"/"words"/' $DATA/tachyon/one.json | flame-fold 2>&1 || echo $?
# A large tree is known before the root's own texts are seen.
awk 'BEGIN {
	printf "{\"name\": 1, \"value\": 6, \"children\": ["
	printf "{\"name\": 2, \"value\": 4, \"children\": ["
	printf "{\"name\": 1, \"value\": 1, \"children\": [], "
	printf "\"filename\": 0, \"lineno\": 4, \"funcname\": 1, \"source\": ["
	for (i = 0; i < 600000; i++)
		printf "0, "
	printf "0]}], \"filename\": 0, \"lineno\": 7, \"funcname\": 2}], "
	printf "\"filename\": 0, \"lineno\": 9, \"funcname\": 1, "
	print "\"strings\": [\"a.py\", \"f\", \"g\"]}"
}' </dev/null | flame-fold
