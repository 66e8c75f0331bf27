#if NATS
    import DuetCluster
    import DuetClusterEngine
    import DuetNATS
    import FeedTesting
    import Foundation
    import Testing

    struct TLSTests {
        private let folder: TemporaryDirectory
        private let arguments: [String]

        init() throws {
            folder = try TemporaryDirectory()
            try Self.makeAuthority(in: folder)
            try Self.makeCertificate("server", "subjectAltName=IP:127.0.0.1", in: folder)
            try Self.makeCertificate("node", "extendedKeyUsage=clientAuth", in: folder)
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
            try Self.makeCertificate("server", "subjectAltName=DNS:example.com", in: folder)
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

        private static func makeAuthority(in folder: TemporaryDirectory) throws {
            try openssl(
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-days",
                "1",
                "-subj",
                "/CN=Authority",
                "-addext",
                "basicConstraints=critical,CA:TRUE",
                "-keyout",
                folder.path("authority.key"),
                "-out",
                folder.path("authority.pem")
            )
        }

        private static func makeCertificate(_ name: String, _ extension: String, in folder: TemporaryDirectory) throws {
            let (key, request) = (folder.path("\(name).key"), folder.path("\(name).csr"))
            try openssl(
                "req",
                "-new",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-subj",
                "/CN=\(name)",
                "-keyout",
                key,
                "-out",
                request
            )
            try Data(`extension`.utf8).write(to: folder.appending("extensions"))
            try openssl(
                "x509",
                "-req",
                "-in",
                request,
                "-days",
                "1",
                "-extfile",
                folder.path("extensions"),
                "-CA",
                folder.path("authority.pem"),
                "-CAkey",
                folder.path("authority.key"),
                "-CAcreateserial",
                "-out",
                folder.path("\(name).pem")
            )
        }

        private static func openssl(_ arguments: String...) throws {
            struct Failure: Error { let arguments: [String] }
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["openssl"] + arguments
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw Failure(arguments: arguments) }
        }
    }
#endif
