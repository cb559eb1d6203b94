# 100,000 nodes of the collector: each replaces the one before.
awk 'BEGIN {
	printf "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"},\"children\":[2"
	for (i = 3; i < 100003; i++)
		printf ",%d", i
	printf "]},{\"id\":2,\"callFrame\":{\"functionName\":\"work\"}}"
	for (i = 3; i < 100003; i++)
		printf ",{\"id\":%d,\"callFrame\":{\"functionName\":\"(garbage collector)\"}}", i
	printf "],\"startTime\":0,\"endTime\":9,\"samples\":[2"
	for (i = 3; i < 100003; i++)
		printf ",%d", i
	printf "]}"
}' | flame-fold
