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
flame-diff --since app -f json --keep parse table/*/*/* | head -n 7
flame-diff --since app --label app=/app-[1-6]$/ table/*/*/*
flame-diff --since app --label date=2026-11-11 table/*/*/*
echo 'main;x 5' | flame-diff --since app table/*/*/* - 2>&1 | head -n 2
flame-top -f tsv -N 2 --label date=2026-11-20 table/*/*/*
flame-fold --by date --keep idle table/*/*/* | head -n 2
flame-diff --since date --gate 3% --label date=/2026-11-1[1-6]/ table/*/*/* >gate; echo $?; head -n 2 gate
flame-diff --since date --gate 3%,parse --label date=/2026-11-1[1-7]/ table/*/*/* >gate; echo $?; head -n 2 gate
# The page over time, and the comparison that a change leads to.
flame-diff --since date -o page.html table/*/*/* && ls page*.html && grep -o '<a href[^/]*/a>' page.html
flame-diff --since app --runs table/*/*/* 2>&1 || echo $?
flame-diff --since app --events all table/*/*/* 2>&1 || echo $?
flame-diff --since nosuch table/*/*/* 2>&1 || echo $?
