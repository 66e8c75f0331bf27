/// Maps coding keys to their names on the wire.
///
/// The mapping only goes from key to name. It has no inverse: `imageURL` and `imageUrl` are both `image_url`.
struct KeyNames {
    let keys: HTTPCoding.Keys

    /// Names that are set explicitly, by coding key; they apply to the properties of the message itself.
    let own: [String: String]

    /// Whether nested values are visited too, to name their keys or to find the place of a fault.
    let isRecursive: Bool

    init(_ keys: HTTPCoding.Keys, own: [String: String] = [:], isRecursive: Bool = false) {
        self.keys = keys
        self.own = own
        self.isRecursive = isRecursive || keys != .asWritten
    }

    /// The names of nested values, which ``own`` does not apply to.
    var nested: KeyNames { own.isEmpty ? self : KeyNames(keys, isRecursive: isRecursive) }

    func name(_ key: String) -> String {
        if !own.isEmpty, let name = own[key] { return name }
        return switch keys {
        case .asWritten: key
        case .snakeCase: Self.snakeCase(key)
        }
    }

    func key<Key: CodingKey>(named name: String, _ type: Key.Type) -> Key? {
        if keys == .asWritten, own.isEmpty { return Key(stringValue: name) }
        let candidates = own.keys.filter { own[$0] == name } + [name] + Self.camelCases(name)
        return candidates.lazy.filter { self.name($0) == name }.compactMap(Key.init(stringValue:)).first
    }

    /// Writes `imageURL` as `image_url` and `URLSession` as `url_session`.
    ///
    /// Underscores and digits stay in place.
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

    /// The keys that may have a snake-case name: each word after the first is capitalized or all in capitals.
    ///
    /// The name is untrusted, so the number of combinations is bounded: words beyond the sixth are only capitalized.
    private static func camelCases(_ name: String) -> [String] {
        guard name.utf8.count <= 128 else { return [] }
        let words = name.split(separator: "_")
        guard let first = words.first else { return [] }
        let start = String(name.prefix { $0 == "_" })
        return words.dropFirst().enumerated().reduce([start + first, start + first.uppercased()]) { keys, word in
            let capitalized = word.element.prefix(1).uppercased() + word.element.dropFirst()
            return keys.map { $0 + capitalized } + (word.offset < 5 ? keys.map { $0 + word.element.uppercased() } : [])
        }
    }
}

/// A coding key that already has its name on the wire.
struct WireKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(index: Int) {
        stringValue = String(index)
        intValue = index
    }

    init(stringValue: String) {
        self.init(stringValue)
    }

    init?(intValue: Int) {
        nil
    }
}
