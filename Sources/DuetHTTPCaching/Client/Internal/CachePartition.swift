import Crypto
import DuetContext
import Foundation
import HTTPTypes
import ServiceContextModule

/// Tells apart whose responses are whose.
enum CachePartition {
    /// A digest of principal and credentials; empty where there are none, so that strangers share.
    ///
    /// A digest, because the partition is written into stores and credentials must not be.
    static func ofCredentials(in request: HTTPRequest) -> String {
        let principal = ServiceContext.current?.principal?.id
        let fields = request.headerFields
        guard principal != nil || fields.contains(.authorization) || fields.contains(.cookie) else { return "" }
        var hash = SHA256()
        // Each part with its length before it, so that no two lists of parts are written alike.
        func add(_ parts: [String]) {
            hash.update(data: Data("\(parts.count);".utf8))
            for part in parts { hash.update(data: Data("\(part.utf8.count):\(part)".utf8)) }
        }
        add(principal.map { [$0] } ?? [])
        add(fields[values: .authorization])
        add(fields[values: .cookie])
        return hash.finalize().map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        .joined()
    }
}
