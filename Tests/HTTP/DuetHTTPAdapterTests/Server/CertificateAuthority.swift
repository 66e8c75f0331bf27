import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// The authority that signs the certificates of the tests' servers.
struct CertificateAuthority {
    /// Its certificate in PEM.
    let pem: String

    private let name: DistinguishedName
    private let key: Certificate.PrivateKey

    /// The folder of the authority that the system trusts in this run; `scripts/tls.sh` makes one.
    static let systemFolder = ProcessInfo.processInfo.environment["DUET_TLS_AUTHORITY"]

    /// The authority that the system trusts in this run, or otherwise one for this test.
    static func trusted() throws -> CertificateAuthority {
        guard let systemFolder else { return try new() }
        let folder = URL(filePath: systemFolder)
        let pem = try String(contentsOf: folder.appending(path: "authority.pem"), encoding: .utf8)
        let key = try String(contentsOf: folder.appending(path: "authority.key"), encoding: .utf8)
        return CertificateAuthority(
            pem: pem,
            name: try Certificate(pemEncoded: pem).subject,
            key: try Certificate.PrivateKey(pemEncoded: key)
        )
    }

    /// An authority that only explicitly configured clients trust.
    static func new() throws -> CertificateAuthority {
        let name = try DistinguishedName { CommonName("Duet's tests") }
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let certificate = try certificate(
            for: key.publicKey,
            of: name,
            Certificate.Extensions { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)) },
            signedBy: key,
            of: name
        )
        return CertificateAuthority(pem: try certificate.serializeAsPEM().pemString, name: name, key: key)
    }

    /// The certificate and key of a server for `localhost`.
    func makeServerConfiguration() throws -> TLSConfiguration {
        let key = P256.Signing.PrivateKey()
        let certificate = try Self.certificate(
            for: Certificate.PrivateKey(key).publicKey,
            of: DistinguishedName { CommonName("localhost") },
            Certificate.Extensions { SubjectAlternativeNames([.dnsName("localhost")]) },
            signedBy: self.key,
            of: name
        )
        let pem = try certificate.serializeAsPEM().pemString
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)).map { NIOSSLCertificateSource.certificate($0) }
        let privateKey = try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem)
        return .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(privateKey))
    }

    private static func certificate(
        for publicKey: Certificate.PublicKey,
        of subject: DistinguishedName,
        _ extensions: Certificate.Extensions,
        signedBy key: Certificate.PrivateKey,
        of issuer: DistinguishedName
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: publicKey,
            notValidBefore: Date(timeIntervalSince1970: 946_684_800),
            notValidAfter: Date(timeIntervalSince1970: 4_102_444_800),
            issuer: issuer,
            subject: subject,
            extensions: extensions,
            issuerPrivateKey: key
        )
    }
}
