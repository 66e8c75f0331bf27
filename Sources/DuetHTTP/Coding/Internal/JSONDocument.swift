/// A JSON document (RFC 8259) as it comes to be, and what of it has begun and not ended.
///
/// A value, so that the many small steps of writing are checked for exclusive access once each and not at every property.
struct JSONDocument {
    /// Where a value stands in the one around it.
    enum Place {
        case top
        case member(String)
        case element(Int)
    }

    /// What a value turned out to be.
    enum Form { case nothing, single, array, object }

    private struct Value {
        let id: Int
        let place: Place
        var form = Form.nothing
        var count = 0

        /// Where the members of a dictionary begin, which has no order of its own; nil for all else.
        var members: [(name: String, start: Int)]?
    }

    /// What was done to a value that cannot be done to it.
    struct Misplaced: Error {}

    private(set) var bytes: [UInt8] = []
    private var open: [Value] = []
    private var lastID = 0

    init() {
        bytes.reserveCapacity(512)
        open.reserveCapacity(8)
    }

    /// The places of what has begun and not ended, from the outside.
    var places: [Place] { open.map(\.place) }

    /// The value that began last and has not ended.
    var innermost: Int? { open.last?.id }

    func count(of id: Int) -> Int {
        open.last { $0.id == id }?.count ?? 0
    }

    /// Begins a value; what is written next belongs to it, until it ends.
    mutating func begin(at place: Place, isDictionary: Bool) -> Int {
        lastID += 1
        open.append(Value(id: lastID, place: place, members: isDictionary ? [] : nil))
        return lastID
    }

    /// Ends the value that began last.
    mutating func end() {
        guard let value = open.popLast() else { return }
        switch value.form {
        case .single: break
        case .nothing: append(literal: "{}")
        case .array: bytes.append(UInt8(ascii: "]"))
        case .object:
            if let members = value.members { sort(members) }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Makes a value what it turns out to be; one that is an object already can be asked to be one again.
    mutating func form(_ id: Int, as form: Form) throws(Misplaced) {
        let index = try index(of: id)
        switch (open[index].form, form) {
        case (.nothing, .object): bytes.append(UInt8(ascii: "{"))
        case (.nothing, .array): bytes.append(UInt8(ascii: "["))
        case (.nothing, _): break
        case (.object, .object), (.array, .array): return
        default: throw Misplaced()
        }
        open[index].form = form
    }

    /// Begins a member of an object; its value comes next.
    ///
    /// - Parameter names: How its key is named; the keys of a dictionary are data and stay as they are.
    /// - Returns: Its name.
    mutating func member(_ key: String, of id: Int, _ names: KeyNames) throws(Misplaced) -> String {
        let index = try index(of: id)
        let isDictionary = open[index].members != nil
        let name = isDictionary || names.isIdentity ? key : (index == 0 ? names : names.nested).name(key)
        if open[index].count > 0 { bytes.append(UInt8(ascii: ",")) }
        open[index].count += 1
        open[index].members?.append((name, bytes.count))
        append(name)
        bytes.append(UInt8(ascii: ":"))
        return name
    }

    /// Begins an element of an array; its value comes next.
    ///
    /// - Returns: Its index.
    mutating func element(of id: Int) throws(Misplaced) -> Int {
        let index = try index(of: id)
        if open[index].count > 0 { bytes.append(UInt8(ascii: ",")) }
        open[index].count += 1
        return open[index].count - 1
    }

    mutating func append(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            bytes.append(contentsOf: text.utf8)
        } else {
            for byte in text.utf8 { append(escaping: byte) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends what JSON writes without quotes.
    mutating func append(literal: String) {
        bytes.append(contentsOf: literal.utf8)
    }

    /// Puts a document into this one.
    mutating func insert(_ part: JSONDocument, at start: Int) {
        bytes.insert(contentsOf: part.bytes, at: start)
    }

    private func index(of id: Int) throws(Misplaced) -> Int {
        guard let last = open.last, last.id == id else { throw Misplaced() }
        return open.count - 1
    }

    /// Puts the members that lie at the end of the document into the order of their names.
    private mutating func sort(_ members: [(name: String, start: Int)]) {
        guard let first = members.first, members.count > 1 else { return }
        let comma = UInt8(ascii: ",")
        let ends = members.dropFirst().map { $0.start - 1 } + [bytes.count]
        let texts = zip(members, ends).map { (name: $0.name, text: bytes[$0.start..<$1]) }
        let sorted = texts.sorted { $0.name < $1.name }.map(\.text)
        bytes.replaceSubrange(first.start..., with: Array(sorted.joined(separator: CollectionOfOne(comma))))
    }

    /// Appends a byte of a text as RFC 8259, section 7, has it.
    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append(literal: "\\\"")
        case UInt8(ascii: "\\"): append(literal: "\\\\")
        case 0x08: append(literal: "\\b")
        case 0x09: append(literal: "\\t")
        case 0x0A: append(literal: "\\n")
        case 0x0C: append(literal: "\\f")
        case 0x0D: append(literal: "\\r")
        case ..<0x20: append(literal: "\\u00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16))
        default: bytes.append(byte)
        }
    }
}
