import RawStructuredFieldValues

extension CacheControl {
    /// The largest number of bytes that is parsed.
    ///
    /// Parsing time grows with the square of the number of members. A longer field counts as one that forbids
    /// everything.
    private static let targetedLimit = 1024

    /// Reads a targeted field, which is a Dictionary of Structured Fields (RFC 9213, section 2.1).
    ///
    /// Fails for a field that is empty or invalid, or that has a known directive with a value of the wrong type. The
    /// whole field is then ignored, so that a cache falls back to `Cache-Control` and does not apply half of the
    /// directives.
    package init?(targeted lines: [String]) {
        let value = lines.joined(separator: ", ")
        guard value.utf8.count <= Self.targetedLimit else {
            self.init()
            noStore = true
            return
        }
        var parser = StructuredFieldValueParser(Array(value.utf8))
        guard let dictionary = try? parser.parseDictionaryFieldValue(), !dictionary.isEmpty else { return nil }
        self.init()
        for (name, member) in dictionary {
            guard Self.known.contains(name) else { continue }
            guard case .item(let item) = member else { return nil }
            switch (name, item.rfc9651BareItem) {
            case (_, .bool(false)):
                continue
            case ("max-age", .integer(let seconds)), ("s-maxage", .integer(let seconds)),
                ("stale-while-revalidate", .integer(let seconds)), ("stale-if-error", .integer(let seconds)):
                guard seconds >= 0 else { return nil }
                add(name, .value(Array("\(seconds)".utf8)[...]))
            case ("no-cache", .string(let names)), ("private", .string(let names)), ("no-cache", .token(let names)),
                ("private", .token(let names)):
                add(name, .value(Array(names.utf8)[...]))
            case (_, .bool(true)) where !Self.numbered.contains(name):
                add(name, .none)
            default:
                return nil
            }
        }
    }

    private static let numbered: Set = ["max-age", "s-maxage", "stale-while-revalidate", "stale-if-error"]

    private static let known = numbered.union([
        "no-store", "no-cache", "private", "public", "must-revalidate", "proxy-revalidate", "must-understand",
        "immutable",
    ])
}
