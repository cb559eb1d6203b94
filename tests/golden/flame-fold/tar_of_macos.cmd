# Attributes and folder views that macOS adds are passed over.
mkdir -p d/e
printf '\0\5\26\7\0\2\0\0Mac OS X        ' | tee d/._a.folded d/e/._b.folded d/._e >._d
printf '\0\0\0\1Bud1' | tee d/.DS_Store >d/e/.DS_Store
echo 'a;b 3' >d/a.folded
echo 'a;c 4' >d/e/b.folded
echo 'a;d 5' >d/e/x._y
tar --sort=name -czf a.tgz ._d d
flame-fold --report text a.tgz 2>&1 | sed 's/, [0-9]* bytes//'
# Two of them only.
tar -cf none.tar ._d d/.DS_Store
flame-fold none.tar || echo "status $?"
