# SPDX-License-Identifier: Apache-2.0
# figures.pl FOLDED [AFTER]: what a page has to say of it, or of both compared,
# as a script: sums, self and total of each function, whatever ways it ran, the
# ten widest, and how many frames are new, gone, or of one side with less than
# four samples, which chance makes of equal ones.
use strict;
use warnings;

my (@all, %count, %frames);
for my $file (0 .. $#ARGV) {
	open my $in, "<", $ARGV[$file] or die "$ARGV[$file]: $!";
	while (<$in>) {
		my ($stack, $n) = /^(.*) (\d+)$/ or next;
		my @names = map { s/_\[[0jik1]\]$//r } split /;/, $stack;
		my %seen;
		$all[$file] += $n;
		$frames{join ";", @names[0 .. $_]}[$file] += $n for 0 .. $#names;
		$count{$_} //= [ (0) x (2 * @ARGV) ] for @names;
		$count{$names[-1]}[2 * $file] += $n;
		$count{$_}[2 * $file + 1] += $n
			for grep { !$seen{$_}++ } @names;
	}
}
sub text {
	my $s = shift;
	$s =~ s/(["\\])/\\$1/g;
	return "\"$s\"";
}
my @names = sort { $count{$b}[-1] <=> $count{$a}[-1] || $a cmp $b } keys %count;
print "const wanted = { all: [", join(", ", @all), "], functions: new Map([\n";
print "[", text($_), ", [", join(", ", @{$count{$_}}), "]],\n" for @names;
print "]), rows: [", join(", ", map { text($_) }
	@names[0 .. (@names < 10 ? $#names : 9)]), "], ";
my @lone = (0, 0, 0);
for (values %frames) {
	my ($before, $after) = ($_->[0] // 0, $_->[1] // 0);
	next if $before && $after;
	$lone[$before + $after < 4 ? 2 : $after ? 0 : 1]++;
}
print "lone: [", join(", ", @lone), "] };\n";
