#if NATS
    extension String {
        /// Whether this is a subject that begins with a prefix, and nothing beside it.
        ///
        /// A space or a line break would begin another part of what is sent to the server.
        func isSubject(after prefix: String, limit: Int) -> Bool {
            utf8.count <= limit && utf8.starts(with: prefix.utf8) && utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
    }

    /// Any text as one token of a subject.
    ///
    /// Letters, digits, hyphens and underscores are unchanged; other bytes are an equals sign and two hexadecimal
    /// digits. A long text is a hash of 128 bits, so that its users compare the text itself where it matters.
    enum SubjectToken {
        /// The server limits a whole subject with what is beside it to 4096 bytes.
        private static let limit = 512

        static func encode(_ text: String) -> String {
            guard !text.isEmpty else { return "=" }
            if text.utf8.count <= limit, text.utf8.allSatisfy(isPlain) { return text }
            var token: [UInt8] = []
            token.reserveCapacity(text.utf8.count + 16)
            for byte in text.utf8 {
                if isPlain(byte) { token.append(byte) } else { token += escape(byte) }
                guard token.count <= limit else { return "==" + String(hash(text), radix: 36) }
            }
            return String(decoding: token, as: UTF8.self)
        }

        /// Whether a text can be the name of a cluster, from which names of streams are made.
        static func isName(_ text: String) -> Bool {
            (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isPlain)
        }

        private static func isPlain(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }

        private static func escape(_ byte: UInt8) -> [UInt8] {
            let digits = Array("0123456789ABCDEF".utf8)
            return [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }

        /// FNV-1a with 128 bits.
        private static func hash(_ text: String) -> UInt128 {
            var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
            for byte in text.utf8 { hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b }
            return hash
        }
    }
#endif
