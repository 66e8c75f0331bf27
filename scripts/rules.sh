#!/usr/bin/env bash
# Checks that the files, suites and tests in the last columns of the tables of RFC9111.md exist. A test belongs to the suite before it.
set -euo pipefail
cd "$(dirname "$0")/.."
perl -e '
    for my $file (split /\n/, `find Tests -name "*Tests.swift"`) {
        open(my $source, "<", $file) or die "$file: $!";
        local $/;
        $suites{$1} = <$source> if $file =~ m{([^/]+)\.swift$};
    }
    my $article = "Sources/DuetHTTPCaching/DuetHTTPCaching.docc/RFC9111.md";
    open(my $document, "<", $article) or die "$article: $!";
    while (<$document>) {
        if (!/^\|/) { $isTable = 0; next }
        my ($file, $cell) = (split /\|/)[-3, -2];
        if (!$isTable) { $isTable = 1; $names = $cell eq " Test "; $hasFiles = $file eq " File "; next }
        next if !$names || $cell =~ /^-+$/;
        for my $name ($hasFiles ? $file =~ /`([^`]+)`/g : ()) {
            my $path = "Sources/DuetHTTPCaching/$name";
            -d $path || -f "$path.swift" or push @faults, "line $.: $path.swift does not exist";
        }
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
    print "$article, $_\n" for @faults;
    exit(@faults > 0);'
