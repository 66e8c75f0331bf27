#if NATS
    import DuetClusterEngine

    /// The headers of a received message, as bytes until their names and lengths are known.
    ///
    /// A message that has more than envelopes may have gets a mark in place of its headers.
    package struct ReceivedFields {
        /// Percent-encoding makes three bytes of one, and the engine adds its own headers.
        private static let limit = 3 * Envelope.headerBytes + 16_384
        private static let countLimit = Envelope.headerCount + 32
        private static let nameLimit = Envelope.headerNameBytes + 16

        package private(set) var headers: [String: String] = [:]
        private var bytes = 0

        package init() {}

        /// Reads a block of headers: a first line, then a line for each, with a name, a colon and a value.
        package init(block: some Collection<UInt8>) {
            var lines = block.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.makeIterator()
            _ = lines.next()
            while let line = lines.next() {
                guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
                let value = line[line.index(after: colon)...].drop { $0 == UInt8(ascii: " ") }
                if !add(name: line[..<colon], value: value) { return }
            }
        }

        /// Adds a header, unless its name is not one.
        ///
        /// - Returns: False if the message has too many headers.
        package mutating func add(name: some Collection<UInt8>, value: some Collection<UInt8>) -> Bool {
            bytes += name.count + value.count
            guard bytes <= Self.limit, headers.count < Self.countLimit else {
                headers = [EngineHeader.excess: "1"]
                return false
            }
            if (1...Self.nameLimit).contains(name.count), name.allSatisfy({ (0x21...0x7E).contains($0) }) {
                headers[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
            }
            return true
        }
    }

    extension String {
        /// The number that follows a prefix; nil for another text.
        func number(after prefix: String) -> UInt64? {
            guard utf8.starts(with: prefix.utf8) else { return nil }
            let digits = utf8.dropFirst(prefix.utf8.count)
            return digits.count > 20 ? nil : UInt64(String(decoding: digits, as: UTF8.self))
        }
    }
#endif
