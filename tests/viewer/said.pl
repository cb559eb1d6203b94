# SPDX-License-Identifier: Apache-2.0
# said.pl [METRIC] < FOLDED: what a page says of it in words (said.js), from the
# text alone; names without package and class.
use strict;
use warnings;

my $metric = shift // "";
my (%self, %total, %kind, %done, $sum, $java);
my @works = (
	[ "zstd", qr/zstd|^(huf|fse)_/i, .05 ],
	[ "lz4", qr/lz4/i, .05 ],
	[ "snappy", qr/snappy/i, .05 ],
	[ "zlib", qr/zlib|libz\.so|zip[.\/_](in|de)flater|^(in|de)flate|longest_match/i,
		.05 ],
	[ "regular expressions", qr/util[.\/]regex[.\/]|re2::|^pcre|^sre_/i,
		.05 ],
	[ "the JIT compiler", qr/CompileBroker::|^C[12]Compiler::|^Compile::/,
		.05 ],
	[ "GC", qr/^(G1|Shenandoah|PSPromotion|PSParallel|ParCompaction|
		GCTask|ParallelGC|DefNew|VM_G1|VM_GC|VM_Parallel|VM_Gen|
		Z(Mark|Reloc|Generation|Driver|Collect)|GangWorker|
		runtime\.gc[A-Z]|v8::internal::Heap::Collect|gc_collect_)/x,
		.01 ],
);
my (%method, %elsewhere);
while (<STDIN>) {
	my ($stack, $n) = /^(.*) (\d+)$/ or next;
	my @frames = split /;/, $stack;
	my $leaf = $frames[-1] =~ /_\[([0jik1])\]$/ ? $1 : "";
	$sum += $n;
	$kind{$leaf} += $n;
	$java ||= $stack =~ /_\[[0ji1]\](;|$)/;
	my (%seen, %worked);
	for my $f (@frames) {
		my $name = $f;
		my $how = $name =~ s/_\[([0jik1])\]$// ? $1 : "k";
		$method{$name} ||= $how ne "k";
		$elsewhere{$name} ||= $name eq $f || $how ne "k";
		$total{$name} += $n unless $seen{$name}++;
		for my $w (@works) {
			$done{$w->[0]} += $n if $name =~ $w->[1] &&
				!$worked{$w->[0]}++;
		}
	}
	$frames[-1] =~ s/_\[[0jik1]\]$//;
	$self{$frames[-1]} += $n;
}
$self{$_} //= 0 for keys %total;

my $platform = qr{^(\[|<|java|jdk|sun[./]|com[./]sun[./]|scala[./]|kotlin[./]|
	org[./]apache[./](spark|hadoop)[./](?!.*Generated(Class|Iter)))}x;
my @list = grep { $total{$_} >= $sum / 4 && $total{$_} < $sum * .95 }
	grep { my $name = $_; $elsewhere{$name} && !grep { $name =~ $_->[1] } @works } keys %total;
my @own = grep { $_ !~ $platform && (!$java || $method{$_}) } @list;
my ($m) = sort { $total{$a} <=> $total{$b} || $self{$b} <=> $self{$a} ||
	$a cmp $b } @own ? @own : @list;
my ($top) = sort { $self{$b} <=> $self{$a} || $a cmp $b } keys %self;

sub bare {
	my $s = shift;
	$s =~ s/ ?\(.*//;
	$s =~ s/.*[.\/]//;
	return $s;
}
my @parts;
push @parts, [ $total{$m}, "in " . bare($m) ] if $m;
push @parts, [ $self{$top}, "in " . bare($top) . " itself" ]
	if !$m || ($top ne $m && $self{$top} >= $sum * .05 &&
		!grep { $top =~ $_->[1] } @works);
for my $w (@works) {
	my $n = $done{$w->[0]} // 0;
	push @parts, [ $n, "in $w->[0]" ] if $n && $n >= $sum * $w->[2];
}
push @parts, [ $kind{0}, "interpreted" ] if ($kind{0} // 0) >= $sum * .05;
push @parts, [ $kind{k}, "in the kernel" ] if ($kind{k} // 0) >= $sum * .05;
my $first = shift @parts;
@parts = ($first, sort { $b->[0] <=> $a->[0] } @parts);
my $k = 0;
print join("; ", map { int($_->[0] / $sum * 100 + .5) . "%" .
	($k++ || !$metric ? "" : " of $metric") . " $_->[1]" } @parts), ".\n";
