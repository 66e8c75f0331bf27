#!/usr/bin/env bash
# Checks that the tests that the documentation names exist: the suites and tests in the last columns of the tables about
# RFC 9111, where a test belongs to the suite before it, and the references `Tests/….swift` — `test` of all articles.
set -euo pipefail
cd "$(dirname "$0")/.."
perl -e '
    for my $file (split /\n/, `find Tests -name "*Tests.swift"`) {
        open(my $source, "<", $file) or die "$file: $!";
        local $/;
        $suites{$1} .= <$source> if $file =~ m{([^/]+)\.swift$};
    }
    my $article = "Sources/HTTP/DuetHTTPCaching/DuetHTTPCaching.docc/CacheResponses.md";
    open(my $document, "<", $article) or die "$article: $!";
    while (<$document>) {
        if (!/^\|/) { $isTable = 0; next }
        my $cell = (split /\|/)[-2];
        if (!$isTable) { $isTable = 1; $names = $cell eq " Test "; next }
        next if !$names || $cell =~ /^-+$/;
        my $suite = "";
        $rows++;
        for my $name ($cell =~ /`([^`]+)`/g) {
            if ($name =~ /^\w+Tests$/) {
                $suite = $name;
                $suites{$name} =~ /struct $name\b/ or push @faults, "line $.: the suite $name does not exist";
            } else {
                index($suites{$suite}, "func `$name`(") >= 0 or push @faults, "line $.: $suite has no test `$name`";
            }
        }
        $suite or push @faults, "line $.: names no test";
    }
    push @faults, "no row names a test" if !$rows;
    $_ = "$article, $_" for @faults;
    my $references = 0;
    for my $article (split /\n/, `git ls-files --cached --others --exclude-standard "*.md"`) {
        open(my $document, "<", $article) or die "$article: $!";
        my @lines = <$document>;
        for my $number (1 .. @lines) {
            while ($lines[$number - 1] =~ m{`(Tests/[^`]+\.swift)`(?: — `([^`]+)`)?}g) {
                my ($path, $test) = ($1, $2);
                # A file that the reader writes.
                next if grep { index($_, "> $path") >= 0 } @lines;
                my $place = "$article, line $number";
                open(my $source, "<", $path) or push(@faults, "$place: $path does not exist") and next;
                next if !defined $test;
                $references++;
                my $text = do { local $/; <$source> };
                $text =~ /\bfunc `?\Q$test\E`?\(|\bcase `?\Q$test\E`?\b/
                    or push @faults, "$place: $path has no test `$test`";
            }
        }
    }
    push @faults, "no article names a test" if !$references;
    print "$_\n" for @faults;
    exit(@faults > 0);'
