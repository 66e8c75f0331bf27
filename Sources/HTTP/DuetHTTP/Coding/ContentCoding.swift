import CDuetZlib
package import Foundation
import HTTPTypes

/// Unpacks a body that a server stores compressed, and sends so although the client asks for `identity`.
struct ContentCoding {
    // A small response must not occupy a client for long: above this size, it may grow a hundredfold at most.
    private static let unsuspiciousSize = 1_048_576
    private static let maximumRatio = 100

    /// In the order in which the codings were applied (RFC 9110, section 8.4); never empty.
    private let names: [String]

    /// Returns nil for a body that is not compressed.
    init?(_ head: HTTPResponse) {
        names = head.headerFields[values: .contentEncoding].flatMap { FieldList.members(of: $0) }
            .map { $0.text.lowercased() }
            .filter { $0 != "identity" }
        if names.isEmpty { return nil }
    }

    /// Says that the body cannot be read.
    ///
    /// - Parameter supported: A clause about the codings that can be read.
    func unsupported(butFor supported: String) -> HTTPMessageError {
        let list = names.joined(separator: ", ").loggable
        return .invalid(field: "body", reason: "has the content coding “\(list)”; \(supported)")
    }

    /// Returns the unpacked bytes.
    ///
    /// - Parameter limit: The largest number of unpacked bytes.
    /// - Throws: ``HTTPMessageError`` for other codings than gzip and deflate, for damaged bytes, and beyond the limit.
    func unpack(_ body: Data, upTo limit: Int) throws(HTTPMessageError) -> Data {
        guard names.count == 1, ["gzip", "x-gzip", "deflate"].contains(names[0]) else {
            throw unsupported(butFor: "only one of gzip and deflate can be read")
        }
        let allowed = max(Self.unsuspiciousSize, body.count.multipliedReportingOverflow(by: Self.maximumRatio).0)
        guard let content = inflate(body, upTo: min(limit, allowed)) else {
            throw .invalid(field: "body", reason: "is damaged: it cannot be unpacked as \(names[0])")
        }
        guard content.count <= limit else {
            let reason = """
                has more than \(limit) bytes when it is unpacked, the maximumUnpackedBody of HTTPSettings
                """
            throw .invalid(field: "body", reason: reason)
        }
        guard content.count <= allowed else {
            let reason = "grows more than \(Self.maximumRatio) times when it is unpacked, beyond 1 MiB"
            throw .invalid(field: "body", reason: reason)
        }
        return content
    }

    /// Returns the unpacked bytes, more than `limit` if there are more, or nil if they are damaged or incomplete.
    private func inflate(_ body: Data, upTo limit: Int) -> Data? {
        var stream = unsafe z_stream()
        // zlib recognizes its own header, which begins with the method 8, and that of gzip. Some servers leave out the
        // former (RFC 9110, section 8.4.1.2).
        let hasHeader = body.first.map { $0 == 0x1F || $0 & 0x0F == 8 } ?? true
        let windowBits = MAX_WBITS
        var content = Data()
        var piece = [UInt8](repeating: 0, count: 65_536)
        // The stream has a reference to itself, so it must not move before its end.
        return unsafe withUnsafeMutablePointer(to: &stream) { stream in
            let size = Int32(unsafe MemoryLayout<z_stream>.size)
            guard unsafe inflateInit2_(stream, hasHeader ? windowBits + 32 : -windowBits, ZLIB_VERSION, size) == Z_OK
            else { return nil }
            defer { unsafe inflateEnd(stream) }
            return unsafe body.withUnsafeBytes { bytes in
                // zlib does not write to its input.
                let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
                unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(mutating: start)
                unsafe stream.pointee.avail_in = UInt32(clamping: bytes.count)
                while content.count <= limit {
                    let status = unsafe piece.withUnsafeMutableBufferPointer { piece in
                        unsafe stream.pointee.next_out = piece.baseAddress
                        unsafe stream.pointee.avail_out = UInt32(piece.count)
                        return unsafe CDuetZlib.inflate(stream, Z_NO_FLUSH)
                    }
                    content += piece.prefix(piece.count - Int(unsafe stream.pointee.avail_out))
                    switch status {
                    case Z_OK: continue
                    case Z_STREAM_END where unsafe stream.pointee.avail_in == 0: return content
                    // A file may consist of several parts (RFC 1952, section 2.2).
                    case Z_STREAM_END where unsafe inflateReset(stream) == Z_OK: continue
                    default: return nil
                    }
                }
                return content
            }
        }
    }
}

extension Data {
    package func gzipped() -> Data? {
        var stream = unsafe z_stream()
        // The stream has a reference to itself, so it must not move before its end.
        return unsafe withUnsafeMutablePointer(to: &stream) { stream in
            let size = Int32(unsafe MemoryLayout<z_stream>.size)
            // 16 stands for the header of gzip, and 8 is the usual amount of memory.
            let status = unsafe deflateInit2_(
                stream,
                Z_DEFAULT_COMPRESSION,
                Z_DEFLATED,
                MAX_WBITS + 16,
                8,
                Z_DEFAULT_STRATEGY,
                ZLIB_VERSION,
                size
            )
            guard status == Z_OK else { return nil }
            defer { unsafe deflateEnd(stream) }
            var packed = Data(count: Int(unsafe deflateBound(stream, UInt(count))))
            let isComplete = unsafe withUnsafeBytes { bytes in
                unsafe packed.withUnsafeMutableBytes { packed in
                    // zlib does not write to its input.
                    let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
                    unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(mutating: start)
                    unsafe stream.pointee.avail_in = UInt32(clamping: bytes.count)
                    unsafe stream.pointee.next_out = unsafe packed.bindMemory(to: UInt8.self).baseAddress
                    unsafe stream.pointee.avail_out = UInt32(clamping: packed.count)
                    return unsafe deflate(stream, Z_FINISH) == Z_STREAM_END
                }
            }
            guard isComplete else { return nil }
            // A copy, without the rest of the memory.
            return Data(Array(packed.prefix(Int(unsafe stream.pointee.total_out))))
        }
    }
}
