import NIOCore
import NIOPosix

/// A TCP connection to a server on this machine, for what no HTTP client would send.
struct RawConnection: Sendable {
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let received: Received
    let channel: any Channel

    /// Opens a connection for as long as `use` takes.
    static func open<Value: Sendable>(_ port: Int, use: (RawConnection) async throws -> Value) async throws -> Value {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await use(
                RawConnection(outbound: outbound, received: Received(inbound.makeAsyncIterator()), channel: channel.channel)
            )
        }
    }

    func send(_ text: String) async throws {
        try await outbound.write(ByteBuffer(string: text))
    }

    /// Closes the connection, without waiting for anything.
    func close() async throws {
        try await channel.close()
    }

    /// What has come from the server so far, once it contains `end`.
    func read(until end: String) async throws -> String {
        try await received.read { $0.contains(end) }
    }

    /// What came from the server until it closed the connection.
    func readToEnd() async throws -> String {
        try await received.read { _ in false }
    }

    /// What has been read; one task reads at a time.
    private actor Received {
        private var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        private var text = ""

        init(_ iterator: sending NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator) {
            self.iterator = iterator
        }

        func read(until isEnough: @Sendable (String) -> Bool) async throws -> String {
            while !isEnough(text) {
                guard let part = try await iterator.next(isolation: self) else { break }
                text += String(buffer: part)
            }
            defer { text = "" }
            return text
        }
    }
}
