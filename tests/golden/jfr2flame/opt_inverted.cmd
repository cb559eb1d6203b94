# Layout is --reverse or --inverted, but not both.
for o in '' -i -r '-i -r' --inverted --reverse '--inverted --reverse'
do
	printf 'a;b 1\n' | jfr2flame $o -o svg >"page$o.svg"
done
cmp page-i.svg page--inverted.svg
cmp page-r.svg page--reverse.svg
cmp "page-i -r.svg" "page--inverted --reverse.svg"
cmp -s page.svg page-i.svg || echo other way round
cmp -s page-r.svg "page-i -r.svg" || echo other way round
