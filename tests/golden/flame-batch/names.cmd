folded() {
	printf 'a 1\n' >"async-profiler-app-$1.folded"
}
folded 'a b'
folded 'a:b'
folded -x
folded .y
folded index
folded manifest
flame-batch --key app -o site *.folded
ls site/stages/*.html
grep -o '"title":.*' site/data/index.json
