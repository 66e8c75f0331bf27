#!/usr/bin/env bash
# Prints the program's manual page, made from its own help: scripts/manual.sh PROGRAM
set -euo pipefail

version=$("$1" --version)
"$1" --experimental-dump-help | jq --raw-output --arg version "$version" '
    # A backslash begins an escape, a hyphen would become a dash, and a period or a quote would begin a request.
    def escaped: gsub("\\\\"; "\\e") | gsub("-"; "\\-") | sub("^(?<first>[.\u0027])"; "\\&\(.first)");

    # Indented lines keep their form; a line such as "EXAMPLES:" is a heading.
    def text($heading):
        reduce ((. // "") | split("\n"))[] as $line ({lines: [], isFilled: true};
            ($line | test("^ ") | not) as $isFilled
            | if $isFilled != .isFilled then .lines += [if $isFilled then ".fi" else ".nf" end] else . end
            | .isFilled = $isFilled
            | .lines += [
                if $line == "" then ".PP"
                elif $line | test("^[A-Z]{2}.*:$") then "\($heading) \($line | rtrimstr(":") | escaped)"
                else $line | escaped end
            ])
        | .lines + (if .isFilled then [] else [".fi"] end)
        | .[];

    def spelled: if .kind == "long" then "--\(.name)" else "-\(.name)" end;

    def details:
        [
            (.allValues // [] | select(length > 0) | "values: \(join(", "))"),
            (.defaultValue // empty | "default: \(.)")
        ]
        | if length > 0 then "(\(join("; ")))" else null end;

    def argument:
        ".TP",
        (if .kind == "positional" then ".I \(.valueName | escaped)"
         else "\\fB\([.names[] | spelled | escaped] | join("\\fR, \\fB"))\\fR"
            + (if .kind == "option" then " \\fI\(.valueName | escaped)\\fR" else "" end) end),
        ([.abstract, details] | map(select(. != null)) | join(" ") | escaped);

    def shown: .shouldDisplay and ((.names // []) | map(.name) | (contains(["help"]) or contains(["version"])) | not);

    def command($parents):
        ($parents + [.commandName] | join(" ")) as $name
        | ".SS \($name | escaped)",
          (.abstract | escaped), ".PP",
          (if .discussion then (.discussion | text(".PP\n.B")) else empty end),
          ((.arguments // [])[] | select(shown) | argument),
          ((.subcommands // [])[] | select(.commandName != "help") | command($parents + [$name | split(" ") | last]));

    .command
    | ".TH FEED 1 \"\" \"feed \($version)\" \"User Commands\"",
      ".SH NAME", "feed \\- \(.abstract | rtrimstr(".") | escaped)",
      ".SH SYNOPSIS", ".B feed", ".I command", "[\\fIargument\\fR]...",
      ".SH DESCRIPTION", (.abstract | escaped), (.discussion | text(".SH")),
      ".SH COMMANDS",
      (.commandName as $root | .subcommands[] | select(.commandName != "help") | command([$root]))
'
