#!/usr/bin/env bash
# Counts what a reader has to read, and compares it with the limits in scripts/size.env: the tokens of the code in Sources
# and EssentialFeed (words and punctuation without comments, a literal text as one), and the words of documentation
# comments. A change that needs more raises a limit in the same commit, with its reason in the commit's message.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/size.env
git ls-files --cached --others --exclude-standard -z -- {Sources,EssentialFeed}/'*.'{swift,h,c,js,css} |
    CODE_TOKENS=$CODE_TOKENS COMMENT_WORDS=$COMMENT_WORDS perl -0 -ne '
    chomp;
    open(my $file, "<", $_) or next;
    my $isSwift = /\.swift$/;
    my $text = do { local $/; <$file> };
    if ($isSwift) { $words += split " ", $1 while $text =~ m{^\s*///(.*)$}mg }
    $tokens += grep { !m{^(//|/\*)} } $text =~ m{
        //[^\n]* | /\*.*?\*/
        | \#*"""(?:.|\n)*?"""\#* | \#*"(?:\\.|[^"\\\n])*"\#*
        | [A-Za-z0-9_]+ | [^\sA-Za-z0-9_]
    }gsx;
    END {
        for (["tokens of code", $tokens, $ENV{CODE_TOKENS}], ["words of comments", $words, $ENV{COMMENT_WORDS}]) {
            my ($what, $count, $limit) = @$_;
            print "$count $what, of at most $limit\n";
            $failed = 1 if $count > $limit;
        }
        $? = $failed ? 1 : 0;
    }'
