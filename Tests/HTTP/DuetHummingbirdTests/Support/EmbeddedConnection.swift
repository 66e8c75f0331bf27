import DuetHummingbird
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1

/// A server's side of a connection without a socket, for which time passes only when a test lets it.
final class EmbeddedConnection {
    private let channel = EmbeddedChannel()
    private let socket = Socket()

    /// Opens a connection for as long as `use` takes.
    static func open(_ limits: ServerLimits, use: (EmbeddedConnection) throws -> Void) throws {
        let connection = EmbeddedConnection()
        defer { _ = try? connection.channel.finish(acceptAlreadyClosed: true) }
        try connection.connect(limits)
        try use(connection)
    }

    private func connect(_ limits: ServerLimits) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: false)
        try limits.watch(channel, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try pipeline.addHandler(socket, position: .first)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 80), promise: nil)
    }

    var isOpen: Bool { channel.isActive }

    /// Whether the server has ended its responses.
    var isFinished: Bool { socket.isFinished }

    /// How often the server has asked for bytes.
    var reads: Int { socket.reads }

    func pass(_ duration: Duration) {
        channel.embeddedEventLoop.advanceTime(by: TimeAmount(duration))
    }

    // MARK: The client

    func send(_ text: String) throws {
        try channel.writeInbound(ByteBuffer(string: text))
    }

    /// Closes the client's sending half.
    func finishSending() {
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        channel.embeddedEventLoop.run()
    }

    /// Stops reading, so that the server keeps its unsent bytes.
    func pause() {
        socket.isBlocked = true
    }

    /// Reads the bytes that the server has written so far, and no later ones.
    func readOnce() throws {
        try channel.pipeline.syncOperations.context(handler: socket).flush()
    }

    func resume() throws {
        try readOnce()
        socket.unblock()
        channel.embeddedEventLoop.run()
    }

    /// The bytes since the last call.
    func received() throws -> String {
        var text = ""
        while let data = try channel.readOutbound(as: IOData.self) {
            if case .byteBuffer(let buffer) = data { text += String(buffer: buffer) }
        }
        return text
    }

    // MARK: The server

    /// The number of parts of requests that were delivered since the last call.
    func delivered() throws -> Int {
        var count = 0
        while try channel.readInbound(as: HTTPServerRequestPart.self) != nil { count += 1 }
        return count
    }

    func beginResponse(_ status: HTTPResponseStatus = .ok) {
        channel.write(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: status)), promise: nil)
    }

    func write(_ text: String) {
        channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: text))), promise: nil)
    }

    func endResponse() {
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
    }

    func respond(_ status: HTTPResponseStatus = .ok) {
        beginResponse(status)
        write("hello")
        endResponse()
    }

    func close(_ mode: CloseMode) {
        channel.close(mode: mode, promise: nil)
        channel.embeddedEventLoop.run()
    }

    /// Notifies the connection that the server shuts down.
    func quiesce() {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
}

/// The end of the pipeline, which can close one half as a socket can, and can be full.
private final class Socket: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    var isBlocked = false
    private(set) var isFinished = false
    private(set) var reads = 0
    private var finish: EventLoopPromise<Void>?

    func read(context: ChannelHandlerContext) {
        reads += 1
        context.read()
    }

    func flush(context: ChannelHandlerContext) {
        if !isBlocked { context.flush() }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else {
            finish?.fail(ChannelError.ioOnClosedChannel)
            finish = nil
            return context.close(mode: mode, promise: promise)
        }
        finish = promise ?? context.eventLoop.makePromise()
        if !isBlocked { unblock() }
    }

    func unblock() {
        isBlocked = false
        isFinished = finish != nil
        finish?.succeed()
        finish = nil
    }
}
