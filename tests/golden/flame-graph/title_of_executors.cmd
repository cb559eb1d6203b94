# Executors are titled by their applications, by their paths or their command
# lines.
for app in 0001 0002
do
	mkdir -p app-20260102030405-$app
	for exec in 1 2
	do
		cp data/jfr/spark-cpu-wall.jfr \
			app-20260102030405-$app/profile-job-exec-$exec.jfr
	done
done
title() {
	flame-graph --quiet --overlap keep -o page.html "$@" &&
		grep -o '<title>[^<]*' page.html
}
title app-20260102030405-0001/profile-job-exec-2.jfr
title app-20260102030405-0001/*.jfr
title app-*/*.jfr
title --title Mine app-20260102030405-0001/*.jfr
cp app-20260102030405-0001/profile-job-exec-1.jfr x.jfr
title x.jfr
title x.jfr app-20260102030405-0001/*.jfr
flame-diff --quiet --overlap keep -o page.html app-20260102030405-0001/*-1.jfr \
	app-20260102030405-0002/*-1.jfr && grep -o '<title>[^<]*' page.html
flame-diff --quiet --overlap keep -o page.html app-20260102030405-0001/*-1.jfr \
	app-20260102030405-0001/*-2.jfr && grep -o '<title>[^<]*' page.html
