# The order of a map's keys is one for all its entries: one with functions at
# the entry to the kernel says it for those without, before it or after.
entry() {
	printf '@%s[\n    %s+18\n    %s+20\n, \n    %s+1\n    %s+2\n, app]: %s\n' "$@"
}
{
	entry u helper main tcp_sendmsg sock_sendmsg 3
	entry u flush main ksys_write entry_SYSCALL_64_after_hwframe 5
	entry k ksys_write do_syscall_64 flush main 2
	entry k tcp_sendmsg sock_sendmsg helper main 1
} >maps
flame-fold --event u maps
flame-fold --event k maps
