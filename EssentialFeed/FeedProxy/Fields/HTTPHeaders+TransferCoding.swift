import NIOHTTP1

extension HTTPHeaders {
    /// Whether a body is coded otherwise than in chunks, the one coding that is undone here (RFC 9112, section 7).
    var hasUnknownTransferCoding: Bool {
        contains(name: "transfer-encoding") && transferCodings != ["chunked"]
    }

    /// Whether a body is compressed on its way, which would be lost with the field (RFC 9112, section 7.2).
    ///
    /// A word that is no registered coding says nothing of the bytes: such an answer ends with its connection, and its body is
    /// handed on as it is.
    var hasTransferCompression: Bool {
        transferCodings.contains { ["compress", "deflate", "gzip", "x-compress", "x-gzip"].contains($0) }
    }

    /// How many bytes of body a head announces; nil where chunks tell, or the end of the connection.
    var announcedLength: Int64? {
        contains(name: "Transfer-Encoding") ? nil : self[canonicalForm: "Content-Length"].first.flatMap { Int64($0) }
    }

    private var transferCodings: [String] { self[canonicalForm: "Transfer-Encoding"].map { $0.lowercased() } }
}
