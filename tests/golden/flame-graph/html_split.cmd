# Script and style beside the page, whose policy lets nothing else run.
mkdir pages
echo 'a;b 3' | flame-graph --split -o pages/p.html
ls pages | sed 's/[0-9][0-9.]*[0-9]/N/'
sed 's/[0-9]\.[0-9.]*[0-9]/N/' pages/p.html |
	grep -o 'script-src [^;]*; style-src [^;]*\|<link[^>]*>\|<script src.*'
flame-fold pages/p.html
# Beside a link, whether its file is there or not: the page looks there.
mkdir runs links
: >runs/1.html
for n in 1 2
do
	ln -s ../runs/$n.html links/$n.html
	echo 'a;b 3' | flame-graph --split -o links/$n.html
	ls links runs | sed 's/[0-9][0-9.]*[0-9]/N/'
	rm links/flame-viewer*
done
echo 'a;b 3' | flame-graph --split -f html
echo 'a;b 3' | flame-graph --split -f html -o nosuch/p.html
echo 'a;b 3' | flame-graph --split -f svg >svg
