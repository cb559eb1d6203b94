exec 2>&1
# Folders with folders: all files below; links back and hidden files are not.
mkdir -p before/x/y after/x
printf 'a;b 4\n' >before/one
printf 'a;b 2\n' >before/x/two
printf 'a;c 1\n' >before/x/y/three
printf 'a;b 9\n' >after/x/one
ln -s .. before/x/back
touch before/x/.hidden
flame-diff before after
mkdir -p none/x && ln -s .. none/x/back
flame-diff before none || echo $?
# Sites of flame-batch are not profiles, wherever they are; their pages are.
flame-batch --quiet -o site before >/dev/null 2>&1
flame-batch --quiet -o after/site after/x >/dev/null 2>&1
flame-diff -o sum.html site site || echo $?
flame-diff -o sum.html before after || ls sum.html
flame-diff site/stages/all.html after/site/stages/all.html
