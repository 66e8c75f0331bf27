#if NATS
    import Foundation

    /// A client that sends any lines of the protocol to a server, as a stranger with another program could.
    struct RawClient: ~Copyable {
        struct Failure: Error {}

        private let socket: Int32

        /// Connects, as a user if the server has any.
        init(_ server: NATSServer, user: String? = nil, password: String = "") throws {
            socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(server.port).bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            let status = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    unsafe connect(socket, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard status == 0 else { throw Failure() }
            let credentials = user.map { #","user":"\#($0)","pass":"\#(password)""# } ?? ""
            try send(#"CONNECT {"verbose":false,"headers":true\#(credentials)}"#)
        }

        deinit { close(socket) }

        /// Publishes a message.
        ///
        /// - Parameter headers: The first line of the headers, and those that follow; empty for none.
        func publish(_ subject: String, reply: String = "", headers: String = "", _ body: String = "") throws {
            guard !headers.isEmpty else {
                return try send("PUB \(subject) \(reply) \(body.utf8.count)\r\n\(body)")
            }
            let block = headers + "\r\n\r\n"
            let count = block.utf8.count
            try send("HPUB \(subject) \(reply) \(count) \(count + body.utf8.count)\r\n\(block)\(body)")
        }

        /// Returns the number of consumers of a stream.
        func consumers(of stream: String) throws -> Int? {
            try send("SUB raw.info 99")
            try publish("$JS.API.STREAM.INFO.\(stream)", reply: "raw.info")
            let info = try received(until: "consumer_count")
            try send("UNSUB 99")
            return info.firstMatch(of: #/"consumer_count":(\d+)/#).flatMap { Int($0.output.1) }
        }

        func send(_ line: String) throws {
            var bytes = Array((line + "\r\n").utf8)[...]
            while !bytes.isEmpty {
                let count = unsafe bytes.withUnsafeBytes { bytes in
                    unsafe Foundation.send(socket, bytes.baseAddress, bytes.count, 0)
                }
                guard count > 0 else { throw Failure() }
                bytes = bytes.dropFirst(count)
            }
        }

        /// Returns everything that arrives until the server has processed all that was sent before.
        func received() throws -> String {
            try send("PING")
            var text = ""
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while !text.contains("PONG\r\n") {
                let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                    unsafe recv(socket, bytes.baseAddress, bytes.count, 0)
                }
                guard count > 0 else { throw Failure() }
                text += String(decoding: buffer[..<count], as: UTF8.self)
            }
            return text
        }

        /// Returns everything that arrives until a text does, which the server sends by itself.
        func received(until end: String) throws -> String {
            var text = ""
            while !text.contains(end) { text += try received() }
            return text
        }
    }
#endif
