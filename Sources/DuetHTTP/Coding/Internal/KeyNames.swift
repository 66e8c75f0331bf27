/// Gives coding keys their names on the wire.
///
/// A name is always made from the key, never a key from a name: `imageURL` and `imageUrl` are both `image_url`, so that the
/// way back would not be one.
struct KeyNames: Sendable {
    let keys: HTTPCoding.Keys

    /// Names that do not follow from the keys, by the keys.
    let own: [String: String]

    /// Whether what lies deeper is to be seen too: to name its keys, or to find out where a fault is.
    let isDeep: Bool

    init(_ keys: HTTPCoding.Keys, own: [String: String] = [:], isDeep: Bool = false) {
        self.keys = keys
        self.own = own
        self.isDeep = isDeep || keys != .asWritten
    }

    /// The same without names of their own, for what lies deeper in a JSON document.
    var nested: KeyNames { own.isEmpty ? self : KeyNames(keys, isDeep: isDeep) }

    /// Whether every name is its key.
    var isIdentity: Bool { keys == .asWritten && own.isEmpty }

    func name(_ key: String) -> String {
        if !own.isEmpty, let name = own[key] { return name }
        return switch keys {
        case .asWritten: key
        case .snakeCase: Self.snakeCase(key)
        }
    }

    /// The key of a type that has this name.
    func key<Key: CodingKey>(named name: String, _ type: Key.Type) -> Key? {
        if isIdentity { return Key(stringValue: name) }
        let candidates = own.keys.filter { own[$0] == name } + [name] + Self.camelCases(name)
        return candidates.lazy.filter { self.name($0) == name }.compactMap(Key.init(stringValue:)).first
    }

    /// `imageURL` as `image_url`, `URLSession` as `url_session`; underscores and digits stay where they are.
    static func snakeCase(_ key: String) -> String {
        let letters = Array(key)
        var name = ""
        name.reserveCapacity(letters.count + 4)
        for (index, letter) in letters.enumerated() {
            if letter.isUppercase, index > 0, letters[index - 1] != "_" {
                let endsWord = !letters[index - 1].isUppercase
                let startsWord = index + 1 < letters.count && letters[index + 1].isLowercase
                if endsWord || startsWord { name.append("_") }
            }
            name.append(letter.lowercased())
        }
        return name
    }

    /// The keys that may have a name in snake case: each word after the first one with a capital, or all in capitals.
    ///
    /// Bounded, since the name comes from outside: of words beyond the sixth only the first way is tried.
    private static func camelCases(_ name: String) -> [String] {
        guard name.utf8.count <= 128 else { return [] }
        let words = name.split(separator: "_")
        guard let first = words.first else { return [] }
        let start = String(name.prefix { $0 == "_" })
        return words.dropFirst().enumerated().reduce([start + first, start + first.uppercased()]) { keys, word in
            let capitalised = word.element.prefix(1).uppercased() + word.element.dropFirst()
            return keys.map { $0 + capitalised } + (word.offset < 5 ? keys.map { $0 + word.element.uppercased() } : [])
        }
    }
}
