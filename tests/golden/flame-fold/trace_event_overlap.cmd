# Of each name, the boxes have the time that its events ran: copy and gemm 10
# us each; read, parse, read 6 + 8 + 12 less what is common.
flame-fold $DATA/trace-event/overlap.json
flame-fold $DATA/trace-event/summaries.json
# Ends before begins, a million times: buffered, and reported.
awk 'BEGIN {
	print "["
	for (i = 0; i < 530000; i++) {
		printf "{\"ph\":\"X\",\"ts\":%d,\"dur\":1,\"name\":\"b\"},", i * 4 + 1
		printf "{\"ph\":\"X\",\"ts\":%d,\"dur\":3,\"name\":\"a\"},\n", i * 4
	}
}' | flame-fold
