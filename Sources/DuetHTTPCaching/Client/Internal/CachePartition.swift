import Crypto
import DuetContext
import Foundation
import HTTPTypes
import ServiceContextModule

/// Tells apart whose responses are whose, by digests: the partition is written into stores, and credentials must not be.
enum CachePartition {
    /// A digest of principal and credentials; empty where there are none, so that strangers share.
    static func ofCredentials(in request: HTTPRequest, _ secrets: Set<HTTPField.Name>) -> String {
        let principal = ServiceContext.current?.principal?.id
        let credentials = HTTPFields(request.headerFields.filter { secrets.contains($0.name) })
        guard principal != nil || !credentials.isEmpty else { return "" }
        let names = Set(credentials.map(\.name)).sorted { $0.canonicalName < $1.canonicalName }
        return digest(
            [principal.map { [Array($0.utf8)] } ?? []]
                + names.map { [Array($0.canonicalName.utf8)] + credentials[fields: $0].map(\.bytes) }
        )
    }

    /// A digest of what somebody calls a partition; empty for the one without a name.
    static func named(_ name: String) -> String {
        name.isEmpty ? "" : digest([[Array("named".utf8), Array(name.utf8)]])
    }

    /// Each list and each part with its length before it, so that no two are written alike.
    private static func digest(_ lists: [[[UInt8]]]) -> String {
        var hash = SHA256()
        for list in lists {
            hash.update(data: Data("\(list.count);".utf8))
            for part in list {
                hash.update(data: Data("\(part.count):".utf8))
                hash.update(data: part)
            }
        }
        return hash.finalize().map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        .joined()
    }
}
