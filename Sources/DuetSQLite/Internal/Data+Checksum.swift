import Foundation

extension Data {
    /// A number that tells these bytes from what a disk, a crash or another program may make of them, and not from what an
    /// attacker would.
    ///
    /// No change within eight bytes leaves it as it is. Four sums at once, because one would wait for its own multiplications.
    var checksum: Int64 {
        unsafe withUnsafeBytes { bytes in
            var (first, second, third, fourth) = (UInt64(1), UInt64(2), UInt64(3), UInt64(4))
            let whole = bytes.count & ~31
            var offset = 0
            while offset < whole {
                first = unsafe first.mixed(with: bytes.word(at: offset))
                second = unsafe second.mixed(with: bytes.word(at: offset + 8))
                third = unsafe third.mixed(with: bytes.word(at: offset + 16))
                fourth = unsafe fourth.mixed(with: bytes.word(at: offset + 24))
                offset += 32
            }
            for index in whole..<bytes.count { first = unsafe first.mixed(with: UInt64(bytes[index])) }
            let sum = first.mixed(with: second).mixed(with: third).mixed(with: fourth).mixed(
                with: UInt64(bytes.count)
            )
            return Int64(bitPattern: sum)
        }
    }
}

extension UInt64 {
    @inline(__always)
    fileprivate func mixed(with word: UInt64) -> UInt64 {
        let product = (self ^ word) &* 0x9E37_79B9_7F4A_7C15
        return product << 29 | product >> 35
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    fileprivate func word(at offset: Int) -> UInt64 {
        unsafe UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
