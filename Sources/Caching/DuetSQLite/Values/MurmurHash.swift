package import Foundation

/// The hash function MurmurHash64A, which reads gigabytes a second.
///
/// It finds damage and spreads keys. It does not protect against forgery.
///
/// Source: src/MurmurHash2.cpp of github.com/aappleby/smhasher.
package enum MurmurHash {
    private static let factor: UInt64 = 0xC6A4_A793_5BD1_E995

    package static func hash(_ bytes: some ContiguousBytes, seed: UInt64 = 0) -> UInt64 {
        unsafe bytes.withUnsafeBytes { bytes in
            var hash = seed ^ UInt64(bytes.count) &* factor
            let end = bytes.count & ~7
            var offset = 0
            while offset < end {
                let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                hash = (hash ^ mixed(word &* factor) &* factor) &* factor
                offset &+= 8
            }
            if end < bytes.count {
                hash = unsafe (hash ^ bytes[end...].reversed().reduce(0) { $0 << 8 | UInt64($1) }) &* factor
            }
            return mixed(mixed(hash) &* factor)
        }
    }

    private static func mixed(_ hash: UInt64) -> UInt64 { hash ^ hash >> 47 }
}
