import DuetHTTP
package import HTTPTypes

/// The directives of `Cache-Control`, of requests and of responses (RFC 9111, section 5.2).
///
/// Unknown directives are ignored (section 5.2.3). If a directive with a number occurs twice, the first one counts
/// (section 4.2.1); otherwise the stricter one. An invalid number counts as 0, which makes a response stale, as section
/// 4.2.1 encourages, and does not allow the use of stale responses.
package struct CacheControl: Sendable, Hashable {
    /// 5.2.2.5, 5.2.1.5: the response is not stored.
    package var noStore = false
    /// 5.2.2.4, 5.2.1.4: not used without validation.
    package var noCache: FieldNames?
    /// 5.2.2.7: stored in a private cache even if it otherwise would not be.
    package var isPrivate = false
    /// 5.2.2.9: stored even if it otherwise would not be.
    package var isPublic = false
    /// 5.2.2.2: never used when stale.
    package var mustRevalidate = false
    /// 5.2.2.3: stored only by a cache that understands the status code.
    package var mustUnderstand = false
    /// RFC 8246: does not change while it is fresh.
    package var immutable = false
    /// 5.2.1.7: the request is not forwarded to the origin.
    package var onlyIfCached = false
    /// 5.2.2.1, 5.2.1.1.
    package var maxAge: Int?
    /// 5.2.1.3.
    package var minFresh: Int?
    /// 5.2.1.2; the largest number if the directive has no argument.
    package var maxStale: Int?
    /// RFC 5861, section 4.
    package var staleIfError: Int?

    package init() {}

    private mutating func add(_ directive: Directive, _ argument: DirectiveArgument) {
        switch directive {
        case .noStore: noStore = true
        case .noCache:
            let names = FieldNames(argument.text)
            // Without one of these fields, the other directives would have a different meaning.
            noCache.add(names.names.isDisjoint(with: HTTPCachePolicy.decisiveFields) ? names : .response)
        case .isPrivate: isPrivate = true
        case .isPublic: isPublic = true
        case .mustRevalidate: mustRevalidate = true
        case .mustUnderstand: mustUnderstand = true
        case .immutable: immutable = true
        case .onlyIfCached: onlyIfCached = true
        case .maxAge: maxAge = maxAge ?? argument.seconds ?? 0
        case .minFresh: minFresh = minFresh ?? argument.seconds ?? 0
        case .maxStale: maxStale = maxStale ?? (argument == .none ? DeltaSeconds.limit : argument.seconds ?? 0)
        case .staleIfError: staleIfError = staleIfError ?? argument.seconds ?? 0
        }
    }
}

extension CacheControl {
    /// Parses the directives of all lines (RFC 9111, section 5.2).
    package init(_ lines: [String]) {
        for line in lines { add(line: line) }
    }

    package init(_ fields: HTTPFields) {
        for field in fields where field.name == .cacheControl { add(line: field.value) }
    }

    mutating func add(line: String) {
        FieldList.forEachMember(of: Array(line.utf8)) { add($0) }
    }

    /// Adds one member of the list.
    ///
    /// The grammar has no white space around `=`. A directive with such white space applies, but its argument is
    /// invalid.
    private mutating func add(_ member: ArraySlice<UInt8>) {
        let name = member.prefix { $0 != FieldSyntax.equals }
        let bareName = name.trimmed
        guard bareName.allSatisfy(FieldSyntax.isToken),
            let directive = Directive(rawValue: bareName.text.lowercased())
        else { return }
        var argument = DirectiveArgument.none
        if name.endIndex < member.endIndex {
            let text = member[(name.endIndex + 1)...]
            if bareName.count < name.count {
                argument = .invalid
            } else if let unquoted = text.unquoted {
                argument = .value(unquoted[...])
            } else {
                argument = !text.isEmpty && text.allSatisfy(FieldSyntax.isToken) ? .value(text) : .invalid
            }
        }
        add(directive, argument)
    }
}

private enum Directive: String {
    case noStore = "no-store"
    case noCache = "no-cache"
    case isPrivate = "private"
    case isPublic = "public"
    case mustRevalidate = "must-revalidate"
    case mustUnderstand = "must-understand"
    case immutable
    case onlyIfCached = "only-if-cached"
    case maxAge = "max-age"
    case minFresh = "min-fresh"
    case maxStale = "max-stale"
    case staleIfError = "stale-if-error"
}

/// The argument of a directive: a token or an equivalent quoted string (RFC 9111, section 5.2).
enum DirectiveArgument: Hashable {
    case none
    case invalid
    case value(ArraySlice<UInt8>)

    var text: ArraySlice<UInt8>? {
        if case .value(let text) = self { text } else { nil }
    }

    var seconds: Int? {
        text.flatMap { DeltaSeconds.parse($0) }
    }
}

/// The scope of `no-cache`: the response or some of its fields (RFC 9111, section 5.2.2.4).
package enum FieldNames: Sendable, Hashable {
    case response
    case fields(Set<HTTPField.Name>)

    /// Invalid names mean the whole response, because omitting too little would be worse.
    init(_ argument: ArraySlice<UInt8>?) {
        guard let argument, !argument.isEmpty else {
            self = .response
            return
        }
        var names: Set<HTTPField.Name> = []
        for member in FieldList.members(of: argument.text) {
            guard let name = HTTPField.Name(member.text) else {
                self = .response
                return
            }
            names.insert(name)
        }
        self = names.isEmpty ? .response : .fields(names)
    }

    package var names: Set<HTTPField.Name> {
        if case .fields(let names) = self { names } else { [] }
    }
}

extension FieldNames? {
    /// Combines the scope with that of a repeated directive; the stricter one applies.
    mutating func add(_ other: FieldNames) {
        guard case .fields(var names) = self ?? .fields([]), case .fields(let others) = other else {
            self = .response
            return
        }
        // Releases the copy in `self`, so that `formUnion` does not copy the set.
        self = nil
        names.formUnion(others)
        self = .fields(names)
    }
}
