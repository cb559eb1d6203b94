# Twelve runs in folders of partitions; since the seventh, parse is half more.
for run in 1 2 3 4 5 6 7 8 9 10 11 12; do
	day=table/app-name=etl/date=2026-11-$((run + 10))
	mkdir -p $day
	parse=$((run < 7 ? 400 : 600))
	echo "main;read;parse $((parse + run * 7 % 5))
main;read $((300 + run * 3 % 7))
main;idle $((2000 + run * 5 % 9))" | flame-fold -o $day/app-$run.parquet
done
flame-diff --since date table/*/*/*
flame-diff --since app -f markdown --label app-name=etl table/*/*/*
flame-diff --since app -f json --keep parse table/*/*/* | head -n 8
flame-diff --since app --label app=/app-[1-6]$/ table/*/*/*
flame-diff --since app --label date=2026-11-11 table/*/*/*
echo 'main;x 5' | flame-diff --since app table/*/*/* - 2>&1 | head -n 2
flame-top -f tsv -N 2 --label date=2026-11-20 table/*/*/*
flame-fold --by date --keep idle table/*/*/* | head -n 2
flame-diff --since date --gate 3% --label date=/2026-11-1[1-6]/ table/*/*/* >gate; echo $?; head -n 2 gate
flame-diff --since date --gate 3%,parse --label date=/2026-11-1[1-7]/ table/*/*/* >gate; echo $?; head -n 2 gate
# The page over time, and the comparison that a change leads to.
flame-diff --since date -o page.html table/*/*/* && ls page*.html && grep -o '<a href[^/]*/a>' page.html
# Nights without a run, and runs that are weekly.
flame-diff --since date --label 'date=/(1[1-7]|2[0-2])$/' table/*/*/* | head -n 1
flame-diff --since date -f json --label 'date=/(1[1-7]|19|2[0-2])$/' table/*/*/* | grep missing
flame-diff --since date -f json --label 'date=/(1[1-7]|2[0-2])$/' table/*/*/* | grep -A 1 ' to '
mkdir -p table/app-name=etl/date=9999-12-31 && echo 'main 2709' >table/app-name=etl/date=9999-12-31/x.folded
flame-diff --since date table/*/*/* | head -n 1
rm -r table/app-name=etl/date=9999-12-31
for day in 03 10 17 24; do mkdir -p weekly/date=2026-11-$day && echo "main $day" >weekly/date=2026-11-$day/x.folded; done
flame-diff --since date weekly/*/*
flame-diff --since app --runs table/*/*/* 2>&1 || echo $?
flame-diff --since app --events all table/*/*/* 2>&1 || echo $?
flame-diff --since nosuch table/*/*/* 2>&1 || echo $?
