/// A fast checksum for file names and derived ids.
///
/// It does not protect against deliberate collisions, so it must not identify content, for example in an entity tag.
package enum Checksum {
    /// Returns the 64-bit FNV-1a hash (RFC 9923).
    package static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}
