import Foundation
import LibNATS
import Synchronization

/// libnats alone, which blocks a thread for each request.
final class LibNATSConnection: Sendable {
    private let address: UInt

    private var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }

    init(_ server: String) throws {
        var options: OpaquePointer?
        var connection: OpaquePointer?
        try check(natsOptions_Create(&options))
        defer { natsOptions_Destroy(options) }
        try check(natsOptions_SetURL(options, server))
        try check(natsOptions_SetSendAsap(options, true))
        try check(natsConnection_Connect(&connection, options))
        address = UInt(bitPattern: connection)
    }

    deinit { natsConnection_Destroy(pointer) }

    /// Answers each request of a subject with the same bytes.
    func answer(_ subject: String, with response: Data) throws -> Subscription {
        let box = Unmanaged.passRetained(Response(connection: self, bytes: response))
        var subscription: OpaquePointer?
        try check(
            natsConnection_QueueSubscribe(
                &subscription,
                pointer,
                subject,
                "workers",
                { _, _, message, closure in
                    defer { natsMsg_Destroy(message) }
                    guard let closure, let reply = natsMsg_GetReply(message) else { return }
                    let response = Unmanaged<Response>.fromOpaque(closure).takeUnretainedValue()
                    _ = response.bytes.withUnsafeBytes { bytes in
                        natsConnection_Publish(
                            response.connection.pointer,
                            reply,
                            bytes.baseAddress,
                            Int32(bytes.count)
                        )
                    }
                },
                box.toOpaque()
            )
        )
        try check(natsConnection_Flush(pointer))
        return Subscription(address: UInt(bitPattern: subscription), box: box)
    }

    /// Sends a request, and waits for the response.
    func request(_ subject: String, _ bytes: Data) throws -> Int {
        var reply: OpaquePointer?
        let status = bytes.withUnsafeBytes {
            natsConnection_Request(&reply, pointer, subject, $0.baseAddress, Int32($0.count), 5_000)
        }
        try check(status)
        defer { natsMsg_Destroy(reply) }
        return Int(natsMsg_GetDataLength(reply))
    }

    /// Publishes to a stream with libnats' own function, and waits for the acknowledgment.
    func publishToStream(_ subject: String, _ bytes: Data) throws {
        var context: OpaquePointer?
        try check(natsConnection_JetStream(&context, pointer, nil))
        defer { jsCtx_Destroy(context) }
        var acknowledgment: UnsafeMutablePointer<jsPubAck>?
        let status = bytes.withUnsafeBytes {
            js_Publish(&acknowledgment, context, subject, $0.baseAddress, Int32($0.count), nil, nil)
        }
        try check(status)
        jsPubAck_Destroy(acknowledgment)
    }

    /// The requests per second with a number of threads, each of which has one request outstanding.
    func rate(_ subject: String, _ bytes: Data, threads: Int, seconds: Double) throws -> Double {
        let count = Atomic(0)
        let end = ContinuousClock.now + .seconds(seconds)
        let group = DispatchGroup()
        for _ in 0..<threads {
            group.enter()
            let thread = Thread {
                while ContinuousClock.now < end {
                    guard (try? self.request(subject, bytes)) != nil else { break }
                    count.add(1, ordering: .relaxed)
                }
                group.leave()
            }
            thread.start()
        }
        group.wait()
        return Double(count.load(ordering: .relaxed)) / seconds
    }

    final class Response: Sendable {
        let connection: LibNATSConnection
        let bytes: Data

        init(connection: LibNATSConnection, bytes: Data) {
            self.connection = connection
            self.bytes = bytes
        }
    }

    /// A subscription, until the program ends.
    struct Subscription {
        let address: UInt
        let box: Unmanaged<Response>
    }
}

struct NATSFailure: Error {
    let status: natsStatus
}

private func check(_ status: natsStatus) throws {
    guard status == NATS_OK else { throw NATSFailure(status: status) }
}
