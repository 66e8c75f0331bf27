import Foundation
import NIOSSL
import TestSupport

/// An authority, and the certificate of `localhost` that it has signed, both made once in a run.
struct CertificateAuthority: Sendable {
    /// Its certificate in PEM.
    let pem: String

    private let server: Certificate

    /// The folder of the authority that the system trusts in this run; `scripts/tls.sh` makes one.
    static let systemFolder = ProcessInfo.processInfo.environment["DUET_TLS_AUTHORITY"]

    private static let untrustedResult = Result { try CertificateAuthority(.authority()) }

    private static let trustedResult = Result {
        guard let systemFolder else { return try untrusted() }
        let folder = URL(filePath: systemFolder)
        return try CertificateAuthority(
            Certificate(
                pem: String(contentsOf: folder.appending(path: "authority.pem"), encoding: .utf8),
                key: String(contentsOf: folder.appending(path: "authority.key"), encoding: .utf8)
            )
        )
    }

    /// The authority that the system trusts in this run, or otherwise ``untrusted()``.
    static func trusted() throws -> CertificateAuthority { try trustedResult.get() }

    /// An authority that only explicitly configured clients trust.
    static func untrusted() throws -> CertificateAuthority { try untrustedResult.get() }

    private init(_ authority: Certificate) throws {
        pem = authority.pem
        server = try authority.sign("subjectAltName=DNS:localhost")
    }

    /// The certificate and key of a server for `localhost`.
    func makeServerConfiguration() throws -> TLSConfiguration {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(server.pem.utf8))
            .map { NIOSSLCertificateSource.certificate($0) }
        let key = try NIOSSLPrivateKey(bytes: Array(server.key.utf8), format: .pem)
        return .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
    }
}
