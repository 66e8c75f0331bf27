#if NATS
    import DuetCluster
    import DuetClusterEngine
    import DuetNATS
    import FeedTesting
    import Foundation
    import TestSupport
    import Testing

    @Suite(.timeLimit(.minutes(5))) struct TLSTests {
        private let folder: TemporaryDirectory
        private let arguments: [String]

        private static let certificates = Result {
            let authority = try Certificate.authority()
            return [
                "authority": authority,
                "server": try authority.sign("subjectAltName=IP:127.0.0.1"),
                "elsewhere": try authority.sign("subjectAltName=DNS:example.com"),
                "node": try authority.sign("extendedKeyUsage=clientAuth"),
            ]
        }

        init() throws {
            folder = try TemporaryDirectory()
            for (name, certificate) in try Self.certificates.get() { try Self.write(certificate, name, in: folder) }
            arguments = [
                "-js", "--tls", "--tlscert", folder.path("server.pem"), "--tlskey", folder.path("server.key"),
            ]
        }

        @Test func `a node trusts the authorities of a file`() async throws {
            try await NATSServer.run(arguments, isTLS: true) { server in
                var options = NATSOptions.test
                options.tls = NATSTLS(authorities: folder.path("authority.pem"))
                let node = try await server.node("test", options)
                _ = try await node.commands.append(.sample("1"))
                await node.close()
            }
        }

        @Test func `a server of an unknown authority is refused`() async throws {
            try await NATSServer.run(arguments, isTLS: true) { server in
                await #expect(throws: TransportError.self) { try await server.node() }
            }
        }

        @Test func `a server with the certificate of another host is refused`() async throws {
            let elsewhere = try #require(Self.certificates.get()["elsewhere"])
            try Self.write(elsewhere, "server", in: folder)
            try await NATSServer.run(arguments, isTLS: true) { server in
                var options = NATSOptions.test
                options.tls = NATSTLS(authorities: folder.path("authority.pem"))
                await #expect(throws: TransportError.self) { try await server.node("test", options) }
            }
        }

        @Test func `a node presents its certificate`() async throws {
            let verifying = arguments + ["--tlsverify", "--tlscacert", folder.path("authority.pem")]
            try await NATSServer.run(verifying, isTLS: true) { server in
                var options = NATSOptions.test
                options.tls = NATSTLS(authorities: folder.path("authority.pem"))
                await #expect(throws: TransportError.self) { try await server.node("test", options) }
                options.tls?.certificate = folder.path("node.pem")
                options.tls?.key = folder.path("node.key")
                let node = try await server.node("test", options)
                _ = try await node.commands.append(.sample("1"))
                await node.close()
            }
        }

        @Test func `a missing file of authorities is named`() async throws {
            var options = NATSOptions.test
            options.tls = NATSTLS(authorities: folder.path("missing.pem"))
            let error = await #expect(throws: TransportError.self) {
                try await NATSCluster.connect(to: ["nats://127.0.0.1:1"], name: "test", options: options)
            }
            #expect("\(try #require(error))".contains("missing.pem"))
        }

        /// Writes a certificate and its key.
        private static func write(_ certificate: Certificate, _ name: String, in folder: TemporaryDirectory) throws {
            try Data(certificate.pem.utf8).write(to: folder.appending("\(name).pem"))
            try Data(certificate.key.utf8).write(to: folder.appending("\(name).key"))
        }
    }
#endif
