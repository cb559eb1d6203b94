# SPDX-License-Identifier: Apache-2.0
# said.pl RULES [METRIC] < FOLDED: what a page says of it in words, from the
# text and share/rules/works alone; names without package and class.
# said.pl RULES works < FOLDED: the sum of each work, all being of tasks.
use strict;
use warnings;

my ($rules, $metric) = @ARGV;
my $list = ($metric // "") eq "works";
my (@rows, %fact, %path, @stacks, $java, $tasks);
open my $in, "<", $rules or die "$rules: $!";
while (<$in>) {
	chomp;
	next if /^#/ || /^$/;
	if (/^\t(.*)/) {
		push @{$rows[-1]{patterns}}, split / +/, $1;
		next;
	}
	my ($kind, $name, $words) = split /\t/;
	push @rows, { kind => $kind, name => $name, words => $words };
}
for my $row (@rows) {
	my @all = map {
		my ($text, $from, $to) = ($_, "", "");
		$from = "^" if $text =~ s/^\^//;
		$to = "\\z" if $text =~ s/\$$//;
		$from . join("[./]", map { quotemeta } split /[.]/, $text, -1)
			. $to;
	} @{$row->{patterns}};
	my $re = join "|", @all;
	$row->{re} = qr/$re/;
}

sub row_of {
	my $name = shift;
	return $fact{$name} if exists $fact{$name};
	my ($row) = grep { $name =~ $_->{re} } @rows;
	return $fact{$name} = $row // { kind => "own" };
}

while (<STDIN>) {
	my ($stack, $n) = /^(.*) (\d+)$/ or next;
	my @frames = map {
		my $how = /_\[([0jik1])\]$/ ? $1 : "";
		s/_\[[0jik1]\]$//r =~ /(.*)/s;
		{ name => $1, how => $how };
	} split /;/, $stack;
	$java ||= grep { $_->{how} =~ /^[0ji]$/ } @frames;
	$tasks ||= grep { row_of($_->{name})->{kind} eq "task" } @frames;
	push @stacks, [ $n, @frames ];
}

my (%total, %self, %inner, %done, %beside, %what, %how, %kind);
my ($all, $base) = (0, 0);
my @counted;	# weight, names, work or undef
for (@stacks) {
	my ($n, @frames) = @$_;
	my ($work, $own, $platform, $idle, $in) = (undef, "", "", 0, $list);
	my $from = 0;
	for my $i (0 .. $#frames) {
		my ($name, $how) = @{$frames[$i]}{qw(name how)};
		my $row = row_of($name);
		my $k = $row->{kind};
		if ($k eq "task") {
			($work, $own, $platform, $idle, $in, $from) =
				(undef, "", "", 0, 1, $in ? $from : $i);
		} elsif ($k eq "over" || $k eq "inner") {
			$work = $row unless $work && $work->{kind} eq "over";
		} elsif ($k eq "wait") {
			$work //= $row;
		} elsif ($k eq "pause") {
			$idle ||= !$work;
		} elsif ($k eq "idle") {
			$idle = 1;
		} elsif ($k eq "platform" || ($k eq "own" && $java &&
			$how !~ /^[0ji1]$/)) {
			$platform = $name;
		} elsif ($k eq "own") {
			$own = $name;
		}
	}
	next if $idle && !$tasks && !$list;
	$all += $n;
	if ($tasks && !$in) {
		$beside{$work->{name}} += $n if $work;
		next;
	}
	$base += $n;
	push @counted, [ $n, [ map { $_->{name} } @frames[$from .. $#frames] ],
		$work && $work->{name} ];
	$kind{$frames[-1]{how}} += $n;
	my %seen;
	for my $f (@frames[$from .. $#frames]) {
		$total{$f->{name}} += $n unless $seen{$f->{name}}++;
		$how{$f->{name}} = $f->{how} unless ($how{$f->{name}} // "k")
			ne "k";
	}
	$inner{$own} += $n if $own ne "";
	$inner{$platform} += $n if $platform ne "" && !$work;
	if ($work) {
		$done{$work->{name}} += $n;
	} else {
		$self{$frames[-1]{name}} += $n;
	}
}
if ($list) {
	print map { "$_ $done{$_}\n" } sort keys %done;
	exit;
}
exit unless $base;

my %words = map { $_->{name} => $_->{words} } reverse @rows;
my %order = map { $rows[$_]{name} => $_ } reverse 0 .. $#rows;
my $quarter = int(($base - 1) / 4) + 1;
my $worth = int(($base - 1) / 20) + 1;
my @found;
for my $name (keys %total) {
	my $k = row_of($name)->{kind};
	next if $k !~ /^(own|platform)$/ || $how{$name} eq "k" ||
		$total{$name} < $quarter ||
		($k eq "platform" && $name =~ /\$\$(Lambda|anon\$)/);
	my $inner = ($inner{$name} // 0) >= $quarter || 0;
	next unless $inner || $total{$name} < $base - int($base / 20);
	push @found, { name => $name, inner => $inner,
		own => ($k eq "own" && (!$java ||
			$how{$name} =~ /^[0ji1]$/)) || 0 };
}
my ($frame) = sort {
	$b->{own} <=> $a->{own} || $b->{inner} <=> $a->{inner} ||
	($a->{inner} && $inner{$b->{name}} <=> $inner{$a->{name}}) ||
	$total{$a->{name}} <=> $total{$b->{name}} ||
	($self{$b->{name}} // 0) <=> ($self{$a->{name}} // 0) ||
	$a->{name} cmp $b->{name} } @found;
my ($leaf) = sort { $self{$b} <=> $self{$a} || $a cmp $b }
	grep { row_of($_)->{kind} =~ /^(own|platform)$/ && $how{$_} ne "k" }
	keys %self;
my $leaf_n = defined $leaf ? $self{$leaf} : 0;
my @works = sort { $done{$b} <=> $done{$a} || $order{$a} <=> $order{$b} }
	keys %done;
my $heaviest = @works ? $done{$works[0]} : 0;

sub bare {
	my $s = shift;
	$s =~ s/ ?\(.*//;
	$s =~ s/.*[.\/]//;
	# A constructor.
	$s =~ s/^(\w+)::\1$/$1/;
	return $s;
}
my $work_first = $frame && $frame->{own} ? 0 : $heaviest >= $quarter ? 1 :
	$frame && $frame->{inner} ? 0 :
	$heaviest > int($base / 10) && $heaviest >= $leaf_n ? 1 :
	$frame || $heaviest < $leaf_n ? 0 : 1;
my $first = $work_first ? $works[0] : "";
my $framed = $frame && (!$work_first || $frame->{inner});
my (%inside, $leaf_inside);
for (@counted) {
	my ($n, $names, $work) = @$_;
	next unless $frame && grep { $_ eq $frame->{name} } @$names;
	$inside{$work} += $n if defined $work;
	$leaf_inside += $n if !defined $work && defined $leaf &&
		$names->[-1] eq $leaf;
}
# How sets lie: apart, the first in the second, the other way, across.
sub lie {
	my ($x, $y, $both) = @_;
	return "apart" if $both * 10 <= ($x < $y ? $x : $y);
	return "in" if $both >= $x - int($x / 10);
	return "holds" if $both >= $y - int($y / 10);
	return "across";
}
# Parts: weight, words, of a work or kind, what they are, what they are within.
my @parts;
my $of_frame = $framed ? $total{$frame->{name}} : 0;
my %lies = map { $_ => $framed ? lie($of_frame, $done{$_}, $inside{$_} // 0) :
	"apart" } @works;
$framed = 0 if $framed && $first ne "" && $lies{$first} eq "across";
my ($above) = $framed ? grep { $lies{$_} eq "in" } @works : ();
push @parts, [ $of_frame, "in " . bare($frame->{name}), 0, "frame", $above ]
	if $framed;
for my $w (@works) {
	next unless $done{$w} >= $worth || $w eq $first;
	next if $framed && $lies{$w} eq "across";
	my $in = $framed && $lies{$w} eq "holds" &&
		$w ne ($above // "") ? $above // "frame" : undef;
	push @parts, [ $done{$w}, $words{$w}, 1, $w, $in ];
}
if (defined $leaf && !($framed && $leaf eq $frame->{name})) {
	my $lies = $framed ? lie($leaf_n, $of_frame, $leaf_inside // 0) :
		"apart";
	push @parts, [ $leaf_n, "in " . bare($leaf) . " itself", 0, "leaf",
		$lies eq "apart" ? undef : $above // "frame" ]
		if $lies ne "across" && (!@parts || $leaf_n >= $worth);
}
my @sorted;
@parts = sort { $b->[0] <=> $a->[0] || $a->[2] <=> $b->[2] } @parts;
for my $p (grep { !defined $_->[4] } @parts) {
	push @sorted, $p, grep { ($_->[4] // "") eq $p->[3] } @parts;
}
@parts = splice @sorted, 0, 5;
my @kinds = sort { $b->[0] <=> $a->[0] } grep { $_->[0] >= $worth }
	[ $kind{0} // 0, "interpreted" ], [ $kind{k} // 0, "in the kernel" ];
@kinds = () unless @parts;
my $of = $base < $all ? "tasks' " : "";
my $within = 0;
for my $k (0 .. $#parts) {
	my $in = defined $parts[$k][4];
	print $k == 0 ? "" : $in ? $within ? ", " : " (" :
		$within ? "); " : "; ";
	printf "%.0f%%%s %s", 100 * $parts[$k][0] / $base,
		$k || !($metric || $of) ? "" : " of $of$metric", $parts[$k][1];
	$within = $in;
}
print $within ? ")" : "";
print "; by kind: " if @kinds;
print join(", ", map { sprintf "%.0f%% %s", 100 * $_->[0] / $base, $_->[1] }
	@kinds);
my @beside = sort { $beside{$b} <=> $beside{$a} || $order{$a} <=> $order{$b} }
	grep { $beside{$_} > int($all / 20) } keys %beside;
splice @beside, 2 if @beside > 2;
print @beside ? ". Of all stacks, beside tasks: " . join("; ", map {
	sprintf "%.0f%% %s", 100 * $beside{$_} / $all, $words{$_} } @beside) :
	"", ".\n";
