import DuetAsyncHTTPClient
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import NIOCore
import Testing

/// Requests to public addresses only.
@Suite(.timeLimit(.minutes(5)))
struct PublicAddressTests {
    @Test(arguments: [
        "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
        "127.255.255.255", "169.254.0.0", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.2.1",
        "192.168.0.0", "192.168.255.255", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
        "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "fe80::1", "fc00::1", "fdff::1", "fec0::1", "ff02::1",
        "2001::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1", "::7f00:1", "100::1", "4000::1",
    ])
    func `an address of this machine, of a private network or without a network is not public`(text: String) throws {
        let address = try SocketAddress(ipAddress: text, port: 80)
        #expect(!PublicAddress.contains(address))
    }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
        "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0",
        "198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2001:200::1",
        "2606:4700::1111", "2003::1", "3ffe::1",
    ])
    func `other addresses are public`(text: String) throws {
        let address = try SocketAddress(ipAddress: text, port: 80)
        #expect(PublicAddress.contains(address))
    }

    @Test(arguments: [
        "127.0.0.1", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]",
    ])
    func `a host of this machine gets no request, however it is written`(host: String) async throws {
        let server = try await RawServer.start { _ in [.answer(body: "secret")] }
        try await withNIOHTTPClient(configuration: publicOnly, clock: ManualClock()) { client in
            let error = try await expect(.connectionFailed) {
                try await client.data(
                    for: HTTPRequest(method: .get, scheme: "http", authority: "\(host):\(server.port)", path: "/")
                )
            }
            #expect(error.isUnsent)
        }
        #expect(server.log.entry.requests.isEmpty)
        try await server.stop()
    }

    @Test func `a refused address is named in the error`() async throws {
        let server = try await RawServer.start { _ in [.answer(body: "secret")] }
        try await withNIOHTTPClient(configuration: publicOnly, clock: ManualClock()) { client in
            let error = try await expect(.connectionFailed) { try await client.data(for: server.request()) }
            #expect("\(error)".contains("its address 127.0.0.1 is not public"))
            // The client still works afterwards.
            try await expect(.connectionFailed) { try await client.data(for: server.request()) }
        }
        try await server.stop()
    }

    private var publicOnly: NIOHTTPClient.Configuration {
        var configuration = NIOHTTPClient.Configuration()
        configuration.sendsToPublicAddressesOnly = true
        return configuration
    }
}
