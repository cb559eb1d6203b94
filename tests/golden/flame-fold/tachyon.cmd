flame-fold $DATA/tachyon/page.html 2>&1
flame-fold $DATA/tachyon/one.json
# The strings are behind the tree.
head -c 700 $DATA/tachyon/page.html | flame-fold 2>&1 || echo $?
sed 's/"strings"/"words"/' $DATA/tachyon/one.json | flame-fold 2>&1 || echo $?
