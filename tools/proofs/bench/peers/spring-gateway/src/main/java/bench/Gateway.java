package bench;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Spring Cloud Gateway as a team would configure it: a check of the API key, its limiter on Redis (application.yaml), and a proxy. */
@SpringBootApplication
public class Gateway {
  public static void main(String[] arguments) {
    SpringApplication.run(Gateway.class, arguments);
  }

  @Bean
  GlobalFilter authenticate(@Value("${bench.api-key}") String apiKey) {
    return new Authenticate(sha256(apiKey));
  }

  /** All requests with the key count against one limit, as those of one Project Client do. */
  @Bean
  KeyResolver client() {
    return exchange -> Mono.just("client");
  }

  /** Compares the SHA-256 of the bearer token in constant time, before the limiter counts the request. */
  private record Authenticate(byte[] expected) implements GlobalFilter, Ordered {
    private static final int BEARER = "Bearer ".length();

    @Override
    public int getOrder() {
      return HIGHEST_PRECEDENCE;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
      String header = exchange.getRequest().getHeaders().getFirst("authorization");
      String presented = header == null || header.length() < BEARER ? "" : header.substring(BEARER);
      if (MessageDigest.isEqual(expected, sha256(presented))) return chain.filter(exchange);
      exchange.getResponse().setStatusCode(HttpStatus.UNAUTHORIZED);
      return exchange.getResponse().setComplete();
    }
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error);
    }
  }
}
